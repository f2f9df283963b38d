-- Translations of styles' names and descriptions.
create table style_translation (
    organization_id bigint not null,
    style_id bigint not null,
    language_id bigint not null,
    name text collate "C",
    description text collate "C",
    constraint style_translation_pk primary key (organization_id, style_id, language_id),
    constraint style_translation_style_fk foreign key (organization_id, style_id) references style (organization_id, id) on delete cascade,
    constraint style_translation_language_fk foreign key (language_id) references language (id)
);

comment on table style_translation is 'The texts of a style in one language.';
