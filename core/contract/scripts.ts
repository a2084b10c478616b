import type { Inline } from './markdown.ts'

const superscripts = scriptsOf(
  '0123456789+-−–=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ°™®′″',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ°™®′″',
)

const subscripts = scriptsOf(
  '0123456789+-−–=()aehijklmnoprstuvxβγρφχ',
  '₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ',
)

function scriptsOf(plain: string, raised: string): ReadonlyMap<string, string> {
  return new Map(plain.split('').map((char, at) => [char, raised.charAt(at)]))
}

/** Text that stands higher or lower: in characters that do so, else as `^(…)` or `_(…)`. */
export function toScript(kind: 'sup' | 'sub', parts: readonly Inline[]): readonly Inline[] {
  const whole = textOfParts(parts)
  const text = whole.trim()
  if (text === '') return parts
  const scripts = kind === 'sup' ? superscripts : subscripts
  const characters = text.split('').map((char) => scripts.get(char))
  const isPlain = parts.every(({ kind: of }) => of !== 'link' && of !== 'code')
  if (isPlain && characters.every((char) => char !== undefined)) {
    return [{ kind: 'text', text: characters.join('') }]
  }
  const sign = kind === 'sup' ? '^' : '_'
  return [{ kind: 'text', text: `${sign}(` }, ...parts, { kind: 'text', text: ')' }]
}

/** Without marks and addresses. */
export function textOfParts(parts: readonly Inline[]): string {
  return parts.map((part) => ('inside' in part ? textOfParts(part.inside) : part.text)).join('')
}
