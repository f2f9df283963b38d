-- Exports: lines of the documents of a collection (contract, Exports).

-- name: lines
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg({{line}}, '' order by page_order), 'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from ({{documents}}) as page
) as page
where bytes - octet_length(document) < {{max_bytes}};
