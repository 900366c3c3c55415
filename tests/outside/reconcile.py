"""Asks a reconciliation service through a client that others wrote, and prints as JSON which answers its models refuse.

Ends with 3 where the client is not installed.
"""

import json
import sys
from importlib.metadata import version

try:
    from py_reconciliation_service_api import ReconciliationQuery, build_reconciliation_service
    from py_reconciliation_service_api.models.reconciliation import ReconciliationQueryProperty
except ImportError:
    sys.exit(3)

told = {"version": version("py-reconciliation-service-api")}
if len(sys.argv) < 2:
    print(json.dumps(told))
    sys.exit()

cases = 0
failures = []
try:
    cases += 1
    service = build_reconciliation_service(sys.argv[1])
except Exception as error:
    print(json.dumps({**told, "cases": cases, "failures": [f"the manifest: {error}"]}))
    sys.exit()

types = [it.id for it in service._manifest.default_types or []]
names = ["Krishna Mandir", "krishna mandir", "कृष्ण मन्दिर", "nothing of the kind", "7", "a" * 300, "Patan"]
queries = [ReconciliationQuery(query=name) for name in names]
queries += [ReconciliationQuery(query="Krishna", type=it, limit=3) for it in types]
queries += [ReconciliationQuery(query="Krishna", type=types, type_strict=how) for how in ["should", "all", "any"]]
queries += [
    ReconciliationQuery(query="Krishna", properties=[ReconciliationQueryProperty(pid="construction_date", v=value)])
    for value in ["1637", 1637, ["1637", "1723"], {"id": "x", "name": "y"}]
]
for query in queries:
    cases += 1
    try:
        candidates = service.reconcile(query).result
        scores = [it.score for it in candidates]
        if scores != sorted(scores, reverse=True):
            failures.append(f"{query}: the candidates are not in the order of their scores")
        if query.limit and len(candidates) > query.limit:
            failures.append(f"{query}: {len(candidates)} candidates")
    except Exception as error:
        failures.append(f"{query}: {error}")
try:
    cases += 1
    service.reconcile_batch(queries)
except Exception as error:
    failures.append(f"all at once: {error}")
print(json.dumps({**told, "cases": cases, "failures": failures}))
