drop table trim_size;
