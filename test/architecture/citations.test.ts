import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const FOLDER = 'docs/behaviour/'
const PLACES = [
  'src',
  'test',
  'bench',
  'migrations',
  'scripts',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'config.example.toml',
]

const CITATION = /(?<![\w/])behaviour\/([\w-]+)(?![\w-]*\.md)(?:#([\p{L}\w-]+))?/gu
const LINK = /\]\(([\w./-]*)(?:#([\p{L}\w-]+))?\)/gu
const COMMENT = /(?<=^|\s)\/\*\*?\s[\s\S]*?\*\/|(?:(?<=^|\s)\/\/ .*(?:\n[ \t]*(?=\/\/ ))?)+/gm
const TITLE = /\b(?:describe|it)(?:\.\w+)*\(\s*['"`].*/g
const NAMED_PATH = /`((?:src|core|domains|app|cli|test|scripts|migrations)\/[\w./-]*|(?:[\w-]+\/)+[\w.-]+\.ts)`/g
const TEST_FILE = /\b(?:src|test)\/[\w./-]+\.test\.ts\b/g

/** Documents that are not in the repository, as comments used to name them. */
const ELSEWHERE = [
  /\breference [a-z]+(?:-[a-z]+)*,? §/i,
  /\bRULINGS\b/,
  /\(seed\b|\bseed[;,]|['"`]seed: |\bthe seed\b/,
  /\brecording [a-z]+-[a-z]/,
  /§\d+(?!\.?\d)/,
]
const STANDARD =
  /(?:RFC \d+|draft-[\w-]+|OpenID Connect [\w. ]*?|PNG specification|WHATWG MIME Sniffing),? §[\d.]+(?:(?:,| and) §[\d.]+)*/g

interface Text {
  readonly file: string
  readonly text: string
}

/**
 * All that people read: documents whole, of code the comments. This file is left out, because it describes what is
 * wrong.
 */
function read(): Text[] {
  const names = PLACES.flatMap((place) => {
    const path = join(root, place)
    return statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(place, name))
      : [place]
  })
  const files = names.filter(
    (name) => /\.(?:ts|js|md|toml)$/.test(name) && basename(name) !== basename(import.meta.filename),
  )
  return files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** What GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (text: string): string[] => [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1]!))

/** Anchors of each document of the folder, by its name without ending. */
const sections = (texts: readonly Text[]): Map<string, string[]> =>
  new Map(
    texts
      .filter(({ file }) => file.startsWith(FOLDER))
      .map(({ file, text }) => [basename(file, '.md'), anchorsOf(text)]),
  )

function brokenCitations(texts: readonly Text[]): string[] {
  const known = sections(texts)
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(CITATION)].flatMap(([whole, name, anchor]) =>
      anchor !== undefined && known.get(name!)?.includes(anchor) ? [] : [`${file}: ${whole} leads nowhere`],
    ),
  )
}

/**
 * Links of documents, and headings that stand twice in one of the folder, so that an anchor would mean the first alone.
 */
function brokenDocuments(texts: readonly Text[]): string[] {
  const known = sections(texts)
  const leads = (file: string, path: string, anchor: string | undefined): boolean => {
    const target = path === '' ? file : relative(root, resolve(root, dirname(file), path))
    if (!target.startsWith(FOLDER)) return existsSync(join(root, target))
    const anchors = known.get(basename(target, '.md'))
    return anchors !== undefined && (anchor === undefined || anchors.includes(anchor))
  }
  return texts
    .filter(({ file }) => file.endsWith('.md'))
    .flatMap(({ file, text }) => {
      const links = [...text.replaceAll(/`[^`\n]*`/g, '').matchAll(LINK)].filter(
        ([, path, at]) => !leads(file, path!, at),
      )
      const anchors = file.startsWith(FOLDER) ? anchorsOf(text) : []
      const twice = anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)
      const words = [
        ...links.map(([link]) => `${link} leads nowhere`),
        ...twice.map((one) => `the heading ${one} is there twice`),
      ]
      return words.map((word) => `${file}: ${word}`)
    })
}

/** Paths that documents name in backquotes and that are neither below the root nor `src`, nor beside the document. */
function missingPaths(texts: readonly Text[]): string[] {
  return texts
    .filter(({ file }) => file.endsWith('.md'))
    .flatMap(({ file, text }) => {
      const named = [...text.matchAll(NAMED_PATH)].map(([, path]) => path!)
      const folders = [root, join(root, 'src'), join(root, dirname(file))]
      return named
        .filter((path) => !folders.some((folder) => existsSync(join(folder, path))))
        .map((path) => `${file}: there is no ${path}`)
    })
}

const comments = (text: string): string[] => text.match(COMMENT) ?? []

/** A comment as one line, without sections of standards, which have numbers too. */
const spoken = (part: string): string =>
  part
    .replaceAll(/\s*\n\s*(?:\*(?!\/) ?|\/\/ )?/g, ' ')
    .replaceAll(STANDARD, '')
    .trim()

function citationsElsewhere(texts: readonly Text[]): string[] {
  return texts.flatMap(({ file, text }) => {
    const parts = file.endsWith('.ts') ? [...comments(text), ...(text.match(TITLE) ?? [])] : text.split('\n')
    const wrong = parts.map(spoken).filter((part) => ELSEWHERE.some((pattern) => pattern.test(part)))
    return wrong.map((part) => `${file}: ${part}`)
  })
}

/** What is done for clients alone can look like a mistake; the test says that it is none. */
function unguarded(texts: readonly Text[]): string[] {
  return texts
    .filter(({ file }) => file.endsWith('.ts'))
    .flatMap(({ file, text }) =>
      comments(text)
        .filter((comment) => comment.includes('COMPAT:'))
        .flatMap((comment) => {
          const tests = comment.match(TEST_FILE) ?? []
          if (tests.length === 0) return [`${file}: names no test: ${comment.trim()}`]
          return tests.filter((test) => !existsSync(join(root, test))).map((test) => `${file}: there is no ${test}`)
        }),
    )
}

const texts = read()

describe('citations', () => {
  it('lead to sections of docs/behaviour', () => {
    expect(brokenCitations(texts)).toEqual([])
  })

  it('are not of documents outside of the repository', () => {
    expect(citationsElsewhere(texts)).toEqual([])
  })

  it('of compatibility name the test that guards it', () => {
    expect(unguarded(texts)).toEqual([])
  })

  it('would be noticed when they are broken', () => {
    const code = (text: string): Text => ({ file: 'src/a.ts', text })
    const document: Text = {
      file: `${FOLDER}one.md`,
      text: '# One\n## The part: `x`\n## Twice\n## Twice\n[a](#the-part-x) [b](two.md#no) [c](#no) [d](../none.md)\n',
    }
    expect(
      brokenCitations([
        document,
        code('/** A (behaviour/one#the-part-x, behaviour/one#other). */ // behaviour/two#x, (behaviour/one)'),
      ]),
    ).toHaveLength(3)
    expect(brokenDocuments([document])).toHaveLength(4)
    const old = [
      '(reference repositories §7)',
      '(reference\n * repositories §7)',
      '(RULINGS)',
      '(seed, Errors 5)',
      'as the seed has it',
      'sudo (§3)',
      '(recording repos-wiki)',
    ]
    expect(citationsElsewhere(old.map((text) => code(`/** ${text} */`)))).toHaveLength(old.length)
    expect(
      citationsElsewhere([code("describe('sudo (§3)', () => {\n  it('seed: is right', () => seed)\n")]),
    ).toHaveLength(2)
    expect(citationsElsewhere(['(RFC 4253 §6.6)', 'the same seed'].map((text) => code(`/** ${text} */`)))).toEqual([])
    expect(
      unguarded([
        code('// COMPAT: odd.\n'),
        code('/** COMPAT: odd (test/none.test.ts). */'),
        code('/** COMPAT: odd (test/architecture/citations.test.ts). */'),
      ]),
    ).toHaveLength(2)
  })
})

describe('documents', () => {
  it('have links that lead somewhere, and those of behaviour headings that are there once', () => {
    expect(brokenDocuments(texts)).toEqual([])
  })

  it('name files and folders that exist', () => {
    expect(missingPaths(texts)).toEqual([])
    const named = '`src/no.ts` `core/db/none` `labels/no.ts` `src/main.ts` `core/db` `src/`'
    expect(missingPaths([{ file: 'docs/a.md', text: named }])).toHaveLength(3)
  })
})
