/** Where the script of the page is that a link for a passphrase leads to. */
export const openLinkScriptPath = '/oauth/open-link.js'

/** Sends what stands behind the `#` as a form, and takes it out of the history. */
export const openLinkScript = `
const secret = location.hash.slice(1)
const form = document.forms[0]
if (secret && form) {
  history.replaceState(null, '', location.pathname)
  form.elements.namedItem('link').value = secret
  form.requestSubmit()
}
`
