import { escaped } from '../html.ts'
import { content, type Reply } from '../http/reply.ts'
import type { Language } from '../language/languages.ts'

/** The page behind a link of a letter: a sentence, and a button that does what it says. It needs no script and no style of others. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** `button` is missing where there is nothing left to do. Its form is sent to where the page lies. */
export function linkPage(language: Language, sentence: string, button?: string): Reply {
  const form = button === undefined ? '' : `<form method="post"><button>${escaped(button)}</button></form>`
  const page = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escaped(sentence)}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<p>${escaped(sentence)}</p>
${form}
</html>
`
  return content(page, HTML, { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
}

const HTML = 'text/html; charset=utf-8'

/** An address as a page may show it to whoever has the link: `d...@example.org`. */
export const masked = (email: string): string => email.replace(/^(.)[^@]*/, '$1...')
