-- Lists of barcodes are searched by words: numbers as they are written, and with zeros before them.
create index barcode_by_word on barcode using gin (search_vector(organization_id, array[barcode, gtin14]));
