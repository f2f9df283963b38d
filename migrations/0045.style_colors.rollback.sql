drop table style_color_in_season;
drop table style_color;
