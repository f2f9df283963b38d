"""Load Selvedge into DuckDB with dlt: all lists in the first run, then the changes."""
import os
import dlt
from dlt.sources.helpers import requests
from dlt.sources.rest_api import rest_api_source
URL, KEY = os.environ["SELVEDGE_URL"], os.environ["SELVEDGE_API_KEY"]
SCHEMAS = requests.get(f"{URL}/openapi.json").json()["components"]["schemas"]
pipeline = dlt.pipeline("selvedge_records", destination="duckdb", dataset_name="records")
if pipeline.has_pending_data:  # of a run that was interrupted
    pipeline.run()
pipeline.sync_destination()
stored = pipeline.state.get("sources", {}).get("selvedge", {}).get("resources", {}).get("changes", {})
now = requests.head(f"{URL}/api/changes?from=now", headers={"Authorization": f"Bearer {KEY}"}).headers
after, epoch = stored.get("after", int(now["X-Changes-After"])), stored.get("epoch", now["X-Changes-Epoch"])
keep = lambda _response, *_, **__: dlt.current.resource_state("changes").update(epoch=epoch, after=after)
entry = lambda e: {**(e["document"] or {}), "record_id": e["recordId"], "n": e["n"], "gone": e["document"] is None,
                   "collection": e["collection"]}
record = lambda r: {**r, "record_id": next(iter(r.values())), "n": after, "gone": False}
changes = {"name": "changes", "table_name": lambda row: row["collection"], "processing_steps": [{"map": entry}],
           "endpoint": {"params": {"after": "{incremental.start_value}", "epoch": epoch, "documents": "true", "limit": 1000},
                        "incremental": {"cursor_path": "n", "initial_value": after, "range_start": "open"}, "response_actions": [keep]}}
lists = [{"name": name, "endpoint": {"params": {"pageSize": 100}}, "processing_steps": [{"map": record}]} for name in SCHEMAS["WebhookCollection"]["enum"]]
source = rest_api_source(name="selvedge", max_table_nesting=0, config={
    "client": {"base_url": f"{URL}/api/", "auth": {"type": "bearer", "token": KEY}, "paginator": "header_link"},
    "resource_defaults": {"primary_key": "record_id", "write_disposition": "merge", "endpoint": {"data_selector": "data"}, "columns": {
        "n": {"data_type": "bigint", "dedup_sort": "desc"}, "gone": {"data_type": "bool", "hard_delete": True}}},
    "resources": [changes] if stored else [*lists, changes]})
# A whole number may be the first to come.
source.schema.update_preferred_types({"re:weight$|^latitude$|^longitude$": "double"})
pipeline.run(source)
