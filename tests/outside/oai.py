"""Asks an OAI-PMH service every verb, every page and every error, and prints as JSON which answers their XML Schemas refuse.

The schema of the protocol lies in the source package of pyoai, which is fetched for the run; that of oai_dc comes with eulxml. Ends with 3
where one cannot be had.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

try:
    from lxml import etree
except ImportError:
    sys.exit(3)


def protocol_schema():
    with tempfile.TemporaryDirectory() as folder:
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", folder, "pyoai"]
        if subprocess.run(fetch, capture_output=True).returncode != 0:
            sys.exit(3)
        with tarfile.open(next(Path(folder).glob("pyoai-*"))) as archive:
            for it in archive:
                if it.name.endswith("/OAI-PMH.xsd"):
                    return it.name.split("/")[0], archive.extractfile(it).read()
    sys.exit(3)


def file_of(package, *place):
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or []:
        if Path(folder, *place).exists():
            return str(Path(folder, *place))
    sys.exit(3)


DUBLIN_CORE = file_of("eulxml", "schema_data", "oai_dc.xsd")
SOURCE, PROTOCOL = protocol_schema()
NAMES = "title creator subject description publisher contributor date type format identifier source language relation coverage rights"
# Simple Dublin Core: fifteen elements that hold text in a language.
SIMPLE = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://purl.org/dc/elements/1.1/"
    targetNamespace="http://purl.org/dc/elements/1.1/" elementFormDefault="qualified">
  <xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="https://www.w3.org/2001/xml.xsd"/>
  <xs:complexType name="elementType"><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute ref="xml:lang"/></xs:extension></xs:simpleContent></xs:complexType>%s</xs:schema>""" % "".join(
    f'<xs:element name="{name}" type="elementType"/>' for name in NAMES.split()
)
LANGUAGE = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
    targetNamespace="http://www.w3.org/XML/1998/namespace"><xs:attribute name="lang" type="xs:language"/></xs:schema>"""


class Shipped(etree.Resolver):
    """What the schemas name by addresses of the web."""

    def resolve(self, url, _, context):
        if "simpledc" in url:
            return self.resolve_string(SIMPLE, context)
        if url.endswith("xml.xsd"):
            return self.resolve_string(LANGUAGE, context)
        return None


parser = etree.XMLParser(no_network=True)
parser.resolvers.add(Shipped())
protocol = etree.XMLSchema(etree.fromstring(PROTOCOL, parser))
dublin_core = etree.XMLSchema(etree.parse(DUBLIN_CORE, parser))
told = {"version": f"{SOURCE}, eulxml-{version('eulxml')}"}
if len(sys.argv) < 2:
    print(json.dumps(told))
    sys.exit()

BASE = sys.argv[1]
OAI = "{http://www.openarchives.org/OAI/2.0/}"
cases = 0
failures = []


def ask(**query):
    global cases
    cases += 1
    with urllib.request.urlopen(f"{BASE}?{urllib.parse.urlencode(query)}") as answer:
        document = etree.fromstring(answer.read())
    parts = document.iter("{http://www.openarchives.org/OAI/2.0/oai_dc/}dc")
    for schema, part in [(protocol, document), *((dublin_core, it) for it in parts)]:
        if not schema.validate(part):
            failures.extend(f"{query}: {error.message}" for error in list(schema.error_log)[:5])
    return document


def every(verb, **query):
    first = document = ask(verb=verb, **query)
    token = document.findtext(f".//{OAI}resumptionToken")
    while token:
        document = ask(verb=verb, resumptionToken=token)
        token = document.findtext(f".//{OAI}resumptionToken")
    return first


ask(verb="Identify")
ask(verb="ListMetadataFormats")
sets = [it.text for it in every("ListSets").iter(f"{OAI}setSpec")]
heads = every("ListIdentifiers", metadataPrefix="oai_dc")
every("ListRecords", metadataPrefix="oai_dc")
for spec in sets[:5]:
    every("ListRecords", metadataPrefix="oai_dc", set=spec)
for it in list(heads.iter(f"{OAI}identifier"))[:20]:
    ask(verb="GetRecord", metadataPrefix="oai_dc", identifier=it.text)
    ask(verb="ListMetadataFormats", identifier=it.text)
for wrong in [
    {},
    {"verb": "Nothing"},
    {"verb": "Identify", "more": "1"},
    {"verb": "GetRecord", "metadataPrefix": "oai_dc"},
    {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "nobody"},
    {"verb": "GetRecord", "metadataPrefix": "marc", "identifier": "nobody"},
    {"verb": "ListRecords"},
    {"verb": "ListRecords", "metadataPrefix": "marc"},
    {"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "none"},
    {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "yesterday"},
    {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2099-01-01"},
    {"verb": "ListRecords", "resumptionToken": "none"},
]:
    ask(**wrong)
print(json.dumps({**told, "cases": cases, "failures": failures}))
