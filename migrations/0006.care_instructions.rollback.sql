drop table care_instruction_material_translation;
drop table care_instruction_material;
drop table care_instruction_translation;
drop table care_instruction;
