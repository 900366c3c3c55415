/* global SwaggerUIBundle */
const viewing = fetch('/schema/').then(async (answer) => view(await answer.json()))

function view(document) {
  return SwaggerUIBundle({
    // Of a document that calls itself 3.1 the viewer resolves every schema at once, for a minute and more. As 3.0 it
    // resolves what is looked at; what 3.1 adds and this document uses (null as a type, const) it shows all the same.
    spec: { ...document, openapi: '3.0.3' },
    dom_id: '#document',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    // Its validator and its badge are on a host of their own.
    validatorUrl: null,
    // What is tried here is refused where it says nothing, instead of being dropped.
    requestInterceptor: (request) => {
      request.headers.prefer = 'handling=strict'
      return request
    },
  })
}

const form = document.getElementById('sign-in')
form?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const email = new FormData(form).get('email')
  const answer = await fetch('/api/dev/login/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    // The token alone signs in here: a cookie would stay after the page is closed.
    credentials: 'omit',
  })
  const body = await answer.json()
  if (answer.ok) (await viewing).preauthorizeApiKey('bearer', body.access)
  form.querySelector('output').textContent = answer.ok ? `Signed in as ${email}.` : (body.detail ?? 'Not signed in.')
})
