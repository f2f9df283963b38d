"""Load a shop's products into DuckDB with dlt: all in the first run, then the changed ones; and what its SKUs cost today."""
import os
from email.utils import parsedate_to_datetime
import dlt
from dlt.sources.rest_api import rest_api_source
URL, KEY = os.environ["SELVEDGE_URL"], os.environ["SELVEDGE_API_KEY"]
CHANNEL, PRICE_LIST = os.environ["SELVEDGE_CHANNEL"], os.environ["SELVEDGE_PRICE_LIST"]  # their own keys
pipeline = dlt.pipeline("selvedge_shop", destination="duckdb", dataset_name="shop")
if pipeline.has_pending_data:  # of a run that was interrupted
    pipeline.run()
pipeline.sync_destination()
stored = pipeline.state.get("sources", {}).get("selvedge_shop", {}).get("resources", {}).get("products", {})
def keep(response, *_, **__):  # the time of the first page
    if "cursor=" not in response.url:
        dlt.current.resource_state("products")["since"] = parsedate_to_datetime(response.headers["Date"]).isoformat()
product = lambda p: {**p, "style_id": p["style"]["id"], "gone": p.get("isRemoved", False)}
query = {"channel.userDefinedId": CHANNEL, "pageSize": 100, **({"changedSince": stored["since"]} if "since" in stored else {})}
products = {"name": "products", "primary_key": "style_id", "write_disposition": "merge", "processing_steps": [{"map": product}],
            "columns": {"gone": {"data_type": "bool", "hard_delete": True}}, "endpoint": {"params": query, "response_actions": [keep]}}
prices = {"name": "effective_prices", "primary_key": "style_sku_id", "write_disposition": "replace",
          "endpoint": {"path": "effective-prices", "params": {"priceList.userDefinedId": PRICE_LIST, "pageSize": 100}}}
source = rest_api_source(name="selvedge_shop", max_table_nesting=0, config={
    "client": {"base_url": f"{URL}/api/", "auth": {"type": "bearer", "token": KEY}, "paginator": "header_link"},
    "resource_defaults": {"endpoint": {"data_selector": "data"}}, "resources": [products, prices]})
source.schema.update_preferred_types({"re:amount": "double"})  # a whole number may be the first to come
pipeline.run(source)
