/**
 * Opens `url` in the browser of the desktop. Where there is none nothing happens: the address that
 * was printed is all there is to do.
 */
export async function openInBrowser(url: string, hasDesktop: boolean): Promise<void> {
  const protocol = URL.parse(url)?.protocol
  // A server's answer is not to start a program of its choice.
  if (!hasDesktop || (protocol !== 'https:' && protocol !== 'http:')) return
  const { default: open } = await import('open')
  const browser = await open(url)
  browser.on('error', () => {})
}
