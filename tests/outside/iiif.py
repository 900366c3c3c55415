"""Asks the validator of the IIIF Image API about one image of a service, and prints what it found as JSON.

Without arguments it prints where the picture of the validator lies. Ends with 3 where the validator is not installed.
"""

import json
import sys
import traceback
from importlib.metadata import version
from pathlib import Path

try:
    import iiif_validator
    from iiif_validator.tests.test import IIIFVersion, TargetServer, ValidationFailure
    from iiif_validator.validate import run_tests
except (ImportError, SyntaxError, OSError):
    sys.exit(3)

if len(sys.argv) < 3:
    print(json.dumps({"picture": str(Path(iiif_validator.__file__).parent / "validation_image.png")}))
    sys.exit()

base, image = sys.argv[1:]


def why(test):
    """Where a test ends with an exception of its own, which the validator does not always tell."""
    try:
        return f"a second time: {test.run(server)}"
    except Exception:
        return " ".join(traceback.format_exc().split()[-60:])


server = TargetServer(base, validation_id=image, version=IIIFVersion.V3)
cases = 0
failures = []
for test, result in run_tests(server, max_threads=2):
    for each in result if isinstance(result, list) else [result]:
        cases += 1
        if isinstance(each, ValidationFailure):
            if each.url == "<unknown>":
                each = each._replace(received=why(test))
            place = test.__module__.split(".")[-1]
            failures.append(f"{place}: {each.details} Expected {each.expected}, received {each.received} ({each.url})")
print(json.dumps({"version": version("iiif-validator-ng"), "cases": cases, "failures": failures}))
