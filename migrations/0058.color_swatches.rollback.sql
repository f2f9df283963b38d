comment on column color.hex is null;
alter table color drop column image_url;
alter table color drop column hex;
