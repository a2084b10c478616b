import { canonicalJson, sha256 } from '../../json/canonical.ts'
import { problem } from '../../errors/errors.ts'
import type { RecordManifest } from '../../ports/manifest-store.ts'

/** The digest comes last; people read what is before it. */
export function toManifestText(manifest: RecordManifest): string {
  const digest = sha256(canonicalJson(manifest))
  return `${JSON.stringify({ ...manifest, digest }, undefined, 2)}\n`
}

/** @throws {DepositError} damaged_file: it is not what was written */
export function parseManifest(text: string): RecordManifest {
  const { digest, ...manifest } = parseObject(text)
  if (sha256(canonicalJson(manifest)) !== digest) throw problem('damaged_file')
  return manifest
}

function parseObject(text: string): RecordManifest & { readonly digest: string } {
  try {
    return JSON.parse(text) as RecordManifest & { readonly digest: string }
  } catch (error) {
    throw problem('damaged_file', { cause: error })
  }
}
