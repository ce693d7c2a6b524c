import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faces, importers, layers, words } from './rules.ts'

/** Static imports and re-exports, types included. */
const IMPORTS = /^(?:import|export)\b[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'/gm

const root = resolve(import.meta.dirname, '../..')

interface Source {
  readonly file: string
  readonly text: string
  readonly imports: readonly string[]
}

function sources(): Source[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const names = [...text.matchAll(IMPORTS)].map((match) => (match[1] ?? match[2])!)
      return { file, text, imports: [...new Set(names)] }
    })
}

const layerOf = (file: string) =>
  layers.filter((layer) => file.startsWith(layer.prefix)).toSorted((a, b) => b.prefix.length - a.prefix.length)[0]
const target = (from: string, name: string): string => relative(root, resolve(root, dirname(from), name))

/** What a tree of sources breaks; the test of the test feeds it a broken one. */
function violations(tree: readonly Source[]): string[] {
  const found: string[] = []
  for (const { file, text, imports } of tree) {
    const layer = layerOf(file)
    if (layer === undefined) {
      found.push(`${file} belongs to no layer`)
      continue
    }
    for (const name of imports) {
      if (!name.startsWith('.')) {
        const allowed = importers[name]
        if (allowed && !allowed.some((prefix) => file.startsWith(prefix)))
          found.push(`${file} imports ${name}, which only ${allowed.join(', ')} may`)
        continue
      }
      const to = target(file, name)
      const inside = to.startsWith(layer.prefix)
      if (!inside && !layer.may.some((prefix) => to.startsWith(prefix)))
        found.push(`${file} imports ${to}: ${layer.because}`)
      const face = faces.map((pattern) => pattern.exec(to)?.[0]).find((prefix) => prefix !== undefined)
      if (face !== undefined && !file.startsWith(face) && to !== `${face}index.ts` && file !== 'src/app.ts')
        found.push(`${file} reaches into ${to}; use ${face}index.ts`)
      const area = /^src\/api\/areas\/[^/]+\//.exec(file)?.[0]
      if (area !== undefined && /^src\/api\/areas\/[^/]+\//.test(to) && !to.startsWith(area))
        found.push(`${file} imports another area, ${to}`)
    }
    for (const { pattern, allowed, because } of words) {
      if (pattern.test(text) && !allowed.some((prefix) => file.startsWith(prefix)))
        found.push(`${file} says ${pattern.source}: ${because}`)
    }
  }
  return [...found, ...cycles(tree)]
}

function cycles(tree: readonly Source[]): string[] {
  const graph = new Map(
    tree.map(({ file, imports }) => [
      file,
      imports.filter((name) => name.startsWith('.')).map((name) => target(file, name)),
    ]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
    else if (!done.has(file)) {
      for (const next of graph.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}

describe('direction rules', () => {
  it('hold for every import, types included', () => {
    expect(violations(sources())).toEqual([])
  })

  it('would notice each kind of break', () => {
    const broken: Source[] = [
      { file: 'src/policy/a.ts', text: 'process.env', imports: ['../db/b.ts', 'kysely'] },
      { file: 'src/api/areas/one/a.ts', text: '', imports: ['../two/b.ts', '../../../domain/users/users.service.ts'] },
      { file: 'src/elsewhere/a.ts', text: '', imports: [] },
      { file: 'src/platform/a.ts', text: '', imports: ['./b.ts'] },
      { file: 'src/platform/b.ts', text: '', imports: ['./a.ts'] },
    ]
    expect(violations(broken)).toHaveLength(7)
  })
})
