-- The role of the service, made the owner of the database and its objects.
do $$
declare
    command text;
begin
    if to_regrole('{{role}}') is null then
        create role {{role}} login;
    end if;
    for command in
        select format('alter database %I owner to {{role}}', datname)
        from pg_database
        where datname = current_database() and datdba <> '{{role}}'::regrole
        union all
        select format('alter table %s owner to {{role}}', oid::regclass)
        from pg_class
        where relnamespace = 'public'::regnamespace and relowner <> '{{role}}'::regrole
            and relkind in ('r', 'p', 'v', 'm', 'S') and not exists (
                select 1 from pg_depend
                where classid = 'pg_class'::regclass and objid = pg_class.oid
                    and deptype in ('a', 'e', 'i')
            )
        union all
        select format('alter statistics %I owner to {{role}}', stxname)
        from pg_statistic_ext
        where stxnamespace = 'public'::regnamespace and stxowner <> '{{role}}'::regrole
        union all
        select format('alter routine %s owner to {{role}}', oid::regprocedure)
        from pg_proc
        where pronamespace = 'public'::regnamespace and proowner <> '{{role}}'::regrole
            and not exists (
                select 1 from pg_depend
                where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e'
            )
    loop
        execute command;
    end loop;
end $$;
