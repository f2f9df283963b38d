drop table style_translation;
