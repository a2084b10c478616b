import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { outline } from '../../cli/program/outline.ts'
import { exportFormats } from '../../core/index.ts'
import { formatExamples, formatsManual } from '../../man/formats.ts'
import { toRoff } from '../../man/markdown.ts'
import { metadataManual } from '../../man/metadata.ts'
import { manualPages } from '../../man/pages.ts'
import { escape, inline } from '../../man/roff.ts'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const execute = promisify(execFile)
const folder = new URL('../../man/', import.meta.url)

describe('the pages of the manual', () => {
  it('are up to date with `npm run manual`', async () => {
    const made = await manualPages()
    const found = await readdir(folder, { recursive: true })
    const stored = found.filter((path) => /^man\d\/.+\.\d$/.test(path))

    expect(stored.sort()).toEqual(Object.keys(made).sort())
    for (const [path, text] of Object.entries(made))
      expect(await readFile(new URL(path, folder), 'utf8'), path).toBe(text)
  })

  it('are installed with the package, one for each command', async () => {
    const { man } = JSON.parse(readFileSync(new URL('../package.json', folder), 'utf8')) as {
      readonly man: readonly string[]
    }

    expect(man).toEqual(
      Object.keys(await manualPages())
        .map((path) => `man/${path}`)
        .sort(),
    )
    for (const { name } of outline) expect(man).toContain(`man/man1/deposit-${name}.1`)
  })

  it('are among the packed files', async () => {
    const pages = Object.keys(await manualPages()).map((path) => `man/${path}`)

    expect(await packed()).toEqual(expect.arrayContaining(pages))
  })
})

describe('deposit-metadata(5)', () => {
  it('is up to date with the schema', async () => {
    expect(await readFile(new URL('deposit-metadata.5.md', folder), 'utf8')).toBe(
      await metadataManual(),
    )
  })

  it('has every field of the schema, with its parts', async () => {
    const page = await metadataManual()

    for (const name of Object.keys(fields.properties)) expect(page).toContain(`\n**${name}**\n: `)
    expect(page).toContain('\n**creators[].affiliation[].ror**\n: ')
    expect(page).toContain('\n**locations[].box.west**\n: Number from -180 to 180. Required.')
  })

  it('has examples that `deposit check` finds nothing wrong with', async () => {
    const page = await metadataManual()
    const [ofFields = '', whole = ''] = page.split('## EXAMPLE').map(codeIn)
    await using folder = await temporaryFolder({ 'all.yaml': ofFields, 'basic.yaml': whole })

    expect(await runCli(['check', 'all.yaml'], { folder: folder.path })).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Ready to publish: all.yaml\n',
    })
    const basic = await runCli(['check', 'basic.yaml'], { folder: folder.path })
    expect({ ...basic, stderr: '' }).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(basic.stderr).toMatch(/Ready to publish: basic\.yaml\n$/)
    expect(ofFields.match(/^\w+:/gm)).toHaveLength(Object.keys(fields.properties).length)
  })
})

describe('deposit-formats(7)', () => {
  it('is up to date with the writers', async () => {
    expect(await readFile(new URL('deposit-formats.7.md', folder), 'utf8')).toBe(formatsManual())
  })

  it('has every format and style, with its media types, its purpose and what it writes', async () => {
    const page = await readFile(new URL('deposit-formats.7.md', folder), 'utf8')
    const [, ...entries] = page.split('\n## SEE ALSO')[0]?.split(/^### /m) ?? []

    expect(entries.map((entry) => entry.split('\n')[0])).toEqual(
      exportFormats.map(({ name }) => name),
    )
    for (const [at, { name, title, mediaTypes }] of exportFormats.entries()) {
      const entry = entries[at] ?? ''
      expect(entry).toContain(`\n${title}: `)
      expect(entry).not.toContain(`\n${title}: \n`)
      for (const type of mediaTypes) expect(entry).toContain(`\`${type}\``)
      const texts = formatExamples().filter((each) => each.name === name)
      const ofStyles = texts.map(({ text }) => text.trimEnd().replaceAll('\r', ''))
      expect(codeIn(entry).trimEnd()).toBe(ofStyles.join('\n'))
    }
  })

  it('is named by the commands that write them', async () => {
    expect((await runCli(['export', '--help'])).stdout).toContain('deposit-formats(7)')
  })
})

/** The indented lines of a Markdown page. */
function codeIn(page: string): string {
  return page.replaceAll(/^(?! {4}).*\n?/gm, '').replaceAll(/^ {4}/gm, '')
}

/** The files that npm packs. */
async function packed(): Promise<readonly string[]> {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json']
  const { stdout } = await execute('npm', args, { cwd: new URL('..', folder) })
  const [made] = JSON.parse(stdout) as readonly { readonly files: readonly { path: string }[] }[]
  return made?.files.map(({ path }) => path) ?? []
}

describe('roff', () => {
  it('escapes requests, macros and escapes in text', () => {
    expect(escape(".TH x\n'y\n\\z –")).toBe("\\&.TH x\n\\&'y\n\\ez \\[u2013]")
    expect(inline('**deposit-show**(1) and `a` and *b*')).toBe(
      '\\fBdeposit\\-show\\fP(1) and \\fBa\\fP and \\fIb\\fP',
    )
  })

  it('is made from Markdown', () => {
    const page =
      '# x(8)\n\nWhat it is.\n\n## Use\n\nOne\ntwo.\n\n    code  here\n\n**a**\n: means b\n\n- c\n- d\n'

    expect(toRoff(page)).toBe(
      '.TH X 8 "" "deposit" "Manual of deposit"\n.SH NAME\n.PP\nx \\- what it is\n' +
        '.SH USE\n.PP\nOne\ntwo.\n.PP\n.RS 4\n.nf\ncode  here\n.fi\n.RE\n' +
        '.TP\n\\fBa\\fP\nmeans b\n.IP \\(bu 4\nc\n.IP \\(bu 4\nd\n',
    )
  })
})
