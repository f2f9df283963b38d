drop table color_language;
drop table color_in_group;
drop table color;
drop table color_group;
