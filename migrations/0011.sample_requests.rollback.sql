drop table sample_request_measurement;
drop table measurement_line;
drop table sample_request_size;
drop table sample_request;
