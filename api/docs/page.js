/* global SwaggerUIBundle */
const viewing = fetch('/schema/').then(async (answer) => {
  const document = await answer.json()
  const viewer = view(document)
  const operations = operationsOf(document)
  listContents(document, operations, viewer)
  enableSearch(operations, viewer)
  return viewer
})

function view(document) {
  return SwaggerUIBundle({
    // The viewer resolves all schemas of a 3.1 document at once, which takes more than a minute. Those of a 3.0 document
    // it resolves when they are opened. It still shows what 3.1 adds, such as null as a type.
    spec: { ...document, openapi: '3.0.3' },
    dom_id: '#document',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    // The validator is on another host.
    validatorUrl: null,
    // The service refuses unknown members instead of dropping them.
    requestInterceptor: (request) => {
      request.headers.prefer = 'handling=strict'
      return request
    },
  })
}

/** Every operation with the words that it can be found by, in lower case. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { tags = [], operationId, summary = '', description = '', parameters = [] } = operation
      const title = `${path} ${summary} ${tags.join(' ')}`.toLowerCase()
      const details = [description, ...parameters.map((it) => `${it.name} ${it.description ?? ''}`)]
      return { path, method, tag: tags[0], id: operationId, summary, title, text: details.join(' ').toLowerCase() }
    }),
  )
}

/** The operations that have all words, those first that have them in their path, summary or tag. */
function findOperations(operations, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const missing = (text) => words.filter((word) => !text.includes(word)).length
  return operations
    .filter(({ title, text }) => missing(`${title} ${text}`) === 0)
    .sort((a, b) => missing(a.title) - missing(b.title))
}

/** The tags, each with the number of its operations. A click shows these alone. */
function listContents({ tags = [] }, operations, viewer) {
  const list = document.querySelector('#contents ul')
  const filters = tags.map(({ name, description = '' }) => {
    const count = operations.filter((it) => it.tag === name).length
    return { label: `${name} (${count})`, title: description, filter: name }
  })
  for (const { label, title, filter } of [{ label: `All (${operations.length})`, title: '', filter: '' }, ...filters]) {
    const link = linkTo('#document', label, () => viewer.layoutActions.updateFilter(filter))
    link.title = title
    list.append(inItem(link))
  }
}

/** A search finds several hundred operations at times, since each kind has its own. */
const MOST_RESULTS = 100

function enableSearch(operations, viewer) {
  const [input, hits, results] = ['words', 'hits', 'results'].map((id) => document.getElementById(id))
  input.addEventListener('input', () => {
    const found = findOperations(operations, input.value)
    hits.textContent = input.value.trim() && `${found.length} operations`
    results.replaceChildren(
      ...found.slice(0, MOST_RESULTS).map((it) => {
        const address = `#/${encodeURIComponent(it.tag)}/${it.id}`
        return inItem(
          linkTo(address, `${it.method.toUpperCase()} ${it.path}`, () => openOperation(it, viewer)),
          ` ${it.summary}`,
        )
      }),
    )
  })
}

/** The viewer draws what is in sight only, so the list is made short first. */
function openOperation({ path, tag, id }, { layoutActions }) {
  layoutActions.updateFilter(path)
  layoutActions.show(['operations', tag, id], true)
  setTimeout(() => document.querySelector(`[id$="-${id}"]`)?.scrollIntoView(), 300)
}

function linkTo(address, label, onClick) {
  const link = document.createElement('a')
  link.href = address
  link.textContent = label
  link.addEventListener('click', onClick)
  return link
}

function inItem(...parts) {
  const item = document.createElement('li')
  item.append(...parts)
  return item
}

const form = document.getElementById('sign-in')
form?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const email = new FormData(form).get('email')
  const answer = await fetch('/api/dev/login/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    // The token is enough. A cookie would outlive the page.
    credentials: 'omit',
  })
  const body = await answer.json()
  if (answer.ok) (await viewing).preauthorizeApiKey('bearer', body.access)
  form.querySelector('output').textContent = answer.ok ? `Signed in as ${email}.` : (body.detail ?? 'Not signed in.')
})
