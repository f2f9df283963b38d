drop table style_file;
