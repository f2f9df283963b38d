-- What an organization says of itself. Each column is added on its own: the table may be distributed.
alter table organization add column legal_name text collate "C";

alter table organization add column address text collate "C";

alter table organization add column zip_code text collate "C";

alter table organization add column city text collate "C";

alter table organization add column state_or_region text collate "C";

alter table organization add column country_code text collate "C";

alter table organization add column web_site text collate "C";

alter table organization add column email text collate "C";

alter table organization add column vat_number text collate "C";

alter table organization add column eori_number text collate "C";

alter table organization add column gln text collate "C";

alter table organization add column default_currency_code text collate "C";

alter table organization add column default_language_id bigint;

alter table organization add column sku_format text collate "C";

alter table organization add column passport_base_url text collate "C";

alter table organization add constraint organization_language_fk foreign key (default_language_id) references language (id);
