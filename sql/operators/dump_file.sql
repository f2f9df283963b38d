-- Statements of dumps and restores.

-- name: counts()
select
    (select count(*) from public.organization),
    (
        select count(*) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like '%yoyo%'
    );

-- name: end_cursors()
-- Cursors expire, and lists with changedSince do not go back beyond the restore, which is no change
-- itself. Without the column, in a dump of an earlier release, the latter does nothing.
update public.change_feed set epoch = {{epoch}};
do $$ begin
    update public.change_feed set cleared_at = now();
exception when undefined_column then
    null;
end $$;

-- name: is_empty()
select not exists (
    select 1 from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
);

-- name: new_installation()
-- Statements for a copy: a new installation id, and paused webhooks, because receivers would take
-- its messages for those of the original. A dump of a release without the table installation gets
-- its id when it is migrated.
do $$ begin
    if to_regclass('public.installation') is not null then
        update public.installation set id = '{{id}}';
    end if;
    if to_regclass('public.webhook') is not null then
        update public.webhook set state = 'paused';
    end if;
end $$;
