drop table style_care_material;
drop table style_care_layer;
drop table style_care_instruction;
drop table style_care_icon;
drop table style_care_set;
