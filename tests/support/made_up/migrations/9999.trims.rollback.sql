drop table trim;
