import { parseManifest } from '../../core/packages/bag-format.ts'
import { quoted } from '../plain.ts'
import type { BagRules, Report } from './bag-tags.ts'
import { faultOfPath, type Contents } from './contents.ts'
import { findAlgorithm, lengthOf, type Promised } from './digests.ts'

interface ManifestFile {
  readonly kind: 'payload' | 'tag'
  /** Of the file, such as `manifest-sha256.txt`. */
  readonly name: string
  /** As the name has it. */
  readonly algorithm: string
}

interface Entry {
  readonly path: string
  /** As it is written, which some programs do not encode. */
  readonly raw: string
  readonly digest: string
}

/** A manifest of a bag: digests of its payload, or of its tag files. */
export class Manifest {
  readonly kind: 'payload' | 'tag'
  readonly name: string
  /** Undefined if the program does not know it. */
  readonly algorithm: string | undefined
  /** Paths as the manifest has them. */
  readonly named = new Set<string>()
  /** Paths of files that it lists; filled by {@link resolve}. */
  readonly listed = new Set<string>()
  readonly #entries: Entry[] = []

  constructor(
    { kind, name, algorithm }: ManifestFile,
    text: string,
    { rules, report }: { readonly rules: BagRules; readonly report: Report },
  ) {
    this.kind = kind
    this.name = name
    this.algorithm = findAlgorithm(algorithm)
    if (this.algorithm === undefined)
      report.warn(name, `digests of the kind ${quoted(algorithm)} are not known, and not compared`)
    this.#read(text, rules, report)
  }

  #read(text: string, { isStrict }: BagRules, report: Report): void {
    const { entries, faults } = parseManifest(text)
    for (const { line, said } of faults) report.error(this.name, `line ${line}: ${said}`)
    const digests = new Map<string, string>()
    const digits = this.algorithm === undefined ? undefined : lengthOf(this.algorithm)
    for (const { line, digest, ...named } of entries) {
      const [path, raw] = [withoutDot(named.path), withoutDot(named.written)]
      const fault = faultOfPath(path) ?? this.#faultOfPlace(path)
      const earlier = digests.get(path)
      if (digits !== undefined && digest.length !== digits)
        report.error(
          this.name,
          `line ${line}: its digest has ${digest.length} digits, and ${this.algorithm} has ${digits}`,
        )
      else if (fault !== undefined)
        report.error(this.name, `line ${line} names ${quoted(path)}: ${fault}`)
      else if (earlier === undefined) this.#add({ path, raw, digest })
      else if (earlier !== digest)
        report.error(path, `${this.name} lists it twice, with different digests`)
      else if (isStrict) report.error(path, `${this.name} lists it twice`)
      else report.warn(path, `${this.name} lists it twice`)
      digests.set(path, digest)
    }
    if (entries.some(({ isStarred }) => isStarred))
      report.warn(this.name, 'paths begin with an asterisk, as md5sum --binary writes them')
    if (entries.some(({ written }) => withoutDot(written) !== written))
      report.warn(this.name, 'paths begin with ./')
    if (isStrict && entries.some(({ written }) => /%(?!0A|0D|25)/i.test(written)))
      report.warn(this.name, 'percent signs in paths are not encoded as %25')
  }

  #add(entry: Entry): void {
    this.#entries.push(entry)
    this.named.add(entry.path)
  }

  #faultOfPlace(path: string): string | undefined {
    const isPayload = path.startsWith('data/')
    if (this.kind === 'payload') return isPayload ? undefined : 'it is not below data/'
    if (isPayload) return 'a tag manifest lists no payload'
    return /^tagmanifest-[^/]+\.txt$/i.test(path) ? 'it is a tag manifest itself' : undefined
  }

  /**
   * Finds the files of the entries.
   *
   * @param toFetch paths that `fetch.txt` names
   * @returns the digest of each file of a known kind, by path
   */
  resolve(
    { files }: Contents,
    toFetch: ReadonlySet<string>,
    report: Report,
  ): readonly (readonly [path: string, promise: Promised])[] {
    const names = new Names(files.map(({ path }) => path))
    const digests = new Map(this.#entries.map(({ path, digest }) => [path, digest]))
    return this.#entries.flatMap(({ path, raw, digest }) => {
      const found = names.find(path) ?? names.find(raw) ?? names.findTwin(path, digest, digests)
      if (found === undefined) {
        const hint = toFetch.has(path) ? ', and its address in fetch.txt is not fetched' : ''
        report.error(path, `${this.name} lists it, but it is missing${hint}`)
        return []
      }
      this.listed.add(found)
      if (this.algorithm === undefined) return []
      return [[found, { algorithm: this.algorithm, digest, source: this.name }] as const]
    })
  }
}

/** Paths of a package, for names that another system may have written in another form. */
class Names {
  readonly #paths: ReadonlySet<string>
  readonly #composed: ReadonlyMap<string, string>
  readonly #folded: ReadonlyMap<string, string>

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths)
    this.#composed = new Map(paths.map((path) => [path.normalize('NFC'), path]))
    this.#folded = new Map(paths.map((path) => [fold(path), path]))
  }

  /** The same name, in any Unicode normalisation. */
  find(path: string): string | undefined {
    return this.#paths.has(path) ? path : this.#composed.get(path.normalize('NFC'))
  }

  /** The same file in another case, if it is listed with the same bytes: that system has one. */
  findTwin(path: string, digest: string, digests: ReadonlyMap<string, string>): string | undefined {
    const twin = this.#folded.get(fold(path))
    return twin !== undefined && digests.get(twin) === digest ? twin : undefined
  }
}

function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/)+/, '')
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
