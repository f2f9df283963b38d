"""Tables: records as rows of CSV files and workbooks, by the fields of their schema."""
