-- How many GTINs are stored, in blocks of a thousand: free numbers are counted by block, not by number.
create table barcode_block (
    organization_id bigint not null,
    block bigint not null,
    number bigint not null,
    constraint barcode_block_pk primary key (organization_id, block),
    constraint barcode_block_organization_fk foreign key (organization_id) references organization (id)
);

comment on table barcode_block is 'A thousand numbers that begin with the same ten of the 14 digits of a GTIN.';

comment on column barcode_block.number is 'How many of them barcodes have that are counted.';

-- Writers of barcodes wait while theirs are counted, readers do not.
lock table barcode in share mode;

insert into barcode_block (organization_id, block, number)
select organization_id, left(gtin14, 10)::bigint, count(*)
from barcode
where gtin14 is not null
group by organization_id, left(gtin14, 10)::bigint
on conflict (organization_id, block) do nothing;

-- Stored rows are counted; those that the previous release adds meanwhile are not, and are looked up one by one.
alter table barcode add column is_counted boolean not null default true;

alter table barcode alter column is_counted set default false;

create index barcode_uncounted on barcode (organization_id, gtin14) where gtin14 is not null and not is_counted;

comment on column barcode.is_counted is 'Whether the number of its block counts it; false of rows of earlier releases.';
