-- Swatches of colors. Each column is added on its own: they may be distributed.
alter table color add column hex text collate "C";

alter table color add column image_url text collate "C";

comment on column color.hex is 'Part of the swatch, which is a part of the color.';
