/* global SwaggerUIBundle */
const ui = SwaggerUIBundle({
  url: '/schema/',
  dom_id: '#document',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // Its validator and its badge are on a host of their own.
  validatorUrl: null,
})

const form = document.getElementById('sign-in')
form?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const say = form.querySelector('output')
  const email = new FormData(form).get('email')
  const answer = await fetch('/api/dev/login/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    // The token alone signs in here: a cookie would stay after the page is closed.
    credentials: 'omit',
  })
  const body = await answer.json()
  if (answer.ok) ui.preauthorizeApiKey('bearer', body.access)
  say.textContent = answer.ok ? `Signed in as ${email}.` : (body.detail ?? 'Not signed in.')
})
