"""Reads a service of features through a client that others wrote, and prints as JSON what is not as the standard has it.

Ends with 3 where the client is not installed.
"""

import json
import sys
from importlib.metadata import version

try:
    from owslib.ogcapi.features import Features
except ImportError:
    sys.exit(3)

told = {"version": version("owslib")}
if len(sys.argv) < 2:
    print(json.dumps(told))
    sys.exit()

cases = 0
failures = []


def expect(what, found, wanted):
    global cases
    cases += 1
    if found != wanted:
        failures.append(f"{what}: {found} instead of {wanted}")


service = Features(sys.argv[1])
names = service.feature_collections()
expect("collections in the API document", "/collections/{collectionId}/items" in service.api()["paths"], True)
expect("conformance", any(it.endswith("/conf/core") for it in service.conformance()["conformsTo"]), True)
for name in names:
    expect(f"{name}: its id", service.collection(name)["id"], name)
    page = service.collection_items(name, limit=2)
    expect(f"{name}: returned", page["numberReturned"], min(2, page["numberMatched"]))
    world = service.collection_items(name, bbox=[-180, -90, 180, 90], limit=1)
    expect(f"{name}: no more within the world", world["numberMatched"] <= page["numberMatched"], True)
    for feature in page["features"]:
        expect(f"{name}: a feature", service.collection_item(name, str(feature["id"]))["id"], feature["id"])
for wrong in [{"limit": 0}, {"bbox": [1, 2, 3]}, {"datetime": "../.."}, {"colour": "red"}]:
    try:
        service.collection_items(names[0], **wrong)
        expect(f"{wrong}", "answered", "refused")
    except RuntimeError:
        expect(f"{wrong}", "refused", "refused")
print(json.dumps({**told, "cases": cases, "failures": failures}))
