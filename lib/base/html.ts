const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text as it stands in HTML, between tags or in double quotes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter)
