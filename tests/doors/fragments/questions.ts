const PREFIXES = `PREFIX crm: <http://www.cidoc-crm.org/cidoc-crm/>
PREFIX hg: <https://cair-nepal.org/heritageGraph/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX dcterms: <http://purl.org/dc/terms/>
`

/** Thirty questions in SPARQL, as people ask them of such data. */
export const questions: readonly string[] = [
  `SELECT ?s WHERE { ?s a hg:ArchitecturalStructure }`,
  `SELECT (COUNT(?s) AS ?n) WHERE { ?s a crm:E22_Human-Made_Object }`,
  `SELECT ?s ?name WHERE { ?s a hg:ArchitecturalStructure; rdfs:label ?name }`,
  `SELECT ?s WHERE { ?s rdfs:label 'पाटन'@ne }`,
  `SELECT ?s ?p WHERE { ?s ?p 'Patan' }`,
  `SELECT ?p ?o WHERE { ?s rdfs:label 'Krishna'; ?p ?o FILTER(isLiteral(?o)) }`,
  `SELECT ?s ?place WHERE { ?s crm:P55_has_current_location ?l . ?l rdfs:label ?place }`,
  `SELECT ?s WHERE { ?s hg:dedicated_to ?d . ?d rdfs:label 'Ganesha' }`,
  `SELECT ?god (COUNT(?s) AS ?n) WHERE { ?s hg:dedicated_to ?d . ?d rdfs:label ?god } GROUP BY ?god`,
  `SELECT ?style (COUNT(?s) AS ?n) WHERE { ?s crm:P2_has_type ?t . ?t rdfs:label ?style } GROUP BY ?style`,
  `SELECT ?s ?from WHERE { ?s crm:P108i_was_produced_by ?e . ?e crm:P4_has_time-span ?t . ?t crm:P82a_begin_of_the_begin ?from }`,
  `SELECT ?s WHERE { ?s crm:P108i_was_produced_by ?e . ?e crm:P4_has_time-span ?t . ?t crm:P82a_begin_of_the_begin ?from FILTER(?from < '1610-01-01T00:00:00Z'^^xsd:dateTime) }`,
  `SELECT ?who WHERE { ?e crm:P17_was_motivated_by ?p . ?p rdfs:label ?who } LIMIT 1`,
  `SELECT DISTINCT ?class WHERE { ?s a ?class }`,
  `SELECT DISTINCT ?p WHERE { ?s a hg:ArchitecturalStructure; ?p ?o }`,
  `SELECT ?s ?wkt WHERE { ?s crm:P53_has_former_or_current_location ?p . ?p crm:P168_place_is_defined_by ?wkt }`,
  `SELECT ?s WHERE { ?s owl:sameAs <http://www.wikidata.org/entity/Q5227316> }`,
  `SELECT ?s ?claim WHERE { ?s owl:sameAs ?x ; crm:P140i_was_attributed_by ?claim }`,
  `SELECT (COUNT(?c) AS ?n) WHERE { ?s crm:P140i_was_attributed_by ?c }`,
  `SELECT ?doc ?id WHERE { ?s rdfs:label 'Patan'; foaf:isPrimaryTopicOf ?doc . ?doc dcterms:identifier ?id }`,
  `SELECT ?s ?at WHERE { ?s foaf:isPrimaryTopicOf ?d . ?d dcterms:created ?at } LIMIT 500`,
  `SELECT ?who (COUNT(?d) AS ?n) WHERE { ?d prov:wasAttributedTo ?a . ?a rdfs:label ?who } GROUP BY ?who`,
  `SELECT ?s ?n WHERE { ?s a hg:ArchitecturalStructure OPTIONAL { ?s crm:P3_has_note ?n } }`,
  `SELECT ?s WHERE { { ?s rdfs:label 'Krishna' } UNION { ?s rdfs:label 'Ganesha' } }`,
  `SELECT ?s ?name WHERE { ?s rdfs:label ?name FILTER(CONTAINS(?name, 'Temple 1')) }`,
  `SELECT ?s ?name WHERE { ?s a hg:ArchitecturalStructure; rdfs:label ?name } ORDER BY ?name LIMIT 5`,
  `SELECT ?s WHERE { ?s a hg:ArchitecturalStructure FILTER NOT EXISTS { ?s hg:dedicated_to ?d } }`,
  `SELECT ?a ?b WHERE { ?a rdfs:label 'Temple 1 "of" Patan' ; hg:dedicated_to ?d . ?b hg:dedicated_to ?d }`,
  `SELECT ?name WHERE { ?s crm:P1_is_identified_by ?n . ?n crm:P190_has_symbolic_content ?name FILTER(lang(?name) = 'ne') }`,
  `SELECT (MIN(?f) AS ?first) (MAX(?f) AS ?last) WHERE { ?t crm:P82a_begin_of_the_begin ?f }`,
].map((it) => PREFIXES + it)
