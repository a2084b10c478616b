/** For text and quoted attributes alike: the only places a template has for values. */
export function escapeHtml(value: unknown): string {
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
