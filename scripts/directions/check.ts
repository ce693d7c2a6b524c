import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { doors, domains, importers, layers, processState, roles, stateless, words } from './rules.ts'

interface Import {
  readonly name: string
  /** `import type`, or every name is a type. */
  readonly isType: boolean
}

export interface Source {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly text: string
  readonly imports: readonly Import[]
}

/** Static imports and re-exports, types included. */
const IMPORTS = /^(?:import|export)\b(?<what>[^'"`;]*?)\bfrom '(?<from>[^']+)'|^import '(?<bare>[^']+)'/gm

const root = resolve(import.meta.dirname, '../..')

export function readSources(): Source[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return { file, text, imports: readImports(text) }
    })
}

function readImports(text: string): Import[] {
  return [...text.matchAll(IMPORTS)].map(({ groups }) => ({
    name: groups!['from'] ?? groups!['bare']!,
    isType: onlyTypes(groups!['what'] ?? ''),
  }))
}

function onlyTypes(what: string): boolean {
  if (what.startsWith(' type ')) return true
  const names = /\{(?<names>[^}]*)\}/
    .exec(what)
    ?.groups?.['names']?.split(',')
    .map((name) => name.trim())
  return names !== undefined && names.every((name) => name === '' || name.startsWith('type '))
}

const domainOf = (file: string): string | undefined => /^src\/domains\/([^/]+)\//.exec(file)?.[1]
const moduleOf = (file: string): string | undefined => /^src\/domains\/([^/]+\/[^/]+)\//.exec(file)?.[1]
const targetOf = (from: string, name: string): string => relative(root, resolve(root, dirname(from), name))

/** Every violation of the rules, in words. */
export function violations(sources: readonly Source[], order: readonly string[] = domains): string[] {
  return [...sources.flatMap((source) => checkSource(source, order)), ...cycles(sources)]
}

function checkSource(source: Source, order: readonly string[]): string[] {
  const { file, text, imports } = source
  const layer = layers
    .filter(({ prefix }) => file.startsWith(prefix))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0]
  if (layer === undefined) return [`${file} belongs to no layer`]
  const found: string[] = []
  for (const { name, isType } of imports) {
    if (!name.startsWith('.')) {
      const allowed = importers[name]
      if (allowed && !allowed.some((pattern) => pattern.test(file))) found.push(`${file} must not import ${name}`)
      continue
    }
    const to = targetOf(file, name)
    if (!to.startsWith(layer.prefix) && !layer.may.some((prefix) => to.startsWith(prefix)))
      found.push(`${file} imports ${to}: ${layer.because}`)
    found.push(...checkDoor(file, to), ...checkDomains(file, to, order), ...checkRoles({ file, to, isType }))
  }
  if (DOOR.test(file)) found.push(...checkExports(file, text))
  for (const { pattern, allowed, because } of words) {
    if (pattern.test(text) && !allowed.some((place) => place.test(file)))
      found.push(`${file} says ${pattern.source}: ${because}`)
  }
  if (stateless.test(text) && processState[file] === undefined)
    found.push(`${file} keeps state in the module: ${stateless.exec(text)![0]}`)
  return found
}

const DOOR = /^src\/domains\/[^/]+\/index\.ts$/
const MAX_NAMES = 40

/** What a door exports: a bounded number of names, and no function of a store. */
function checkExports(file: string, text: string): string[] {
  const found: string[] = []
  let count = 0
  for (const [, typeOnly, list, from] of text.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)'/gm)) {
    const names = list!.split(',').map((name) => name.trim())
    const exported = names.filter((name) => name !== '')
    count += exported.length
    if (typeOnly === undefined && from!.endsWith('.store.ts'))
      for (const name of exported.filter((each) => !each.startsWith('type ')))
        found.push(`${file} exports ${name} of a store; later domains use the objects of the *.queries.ts`)
  }
  if (count > MAX_NAMES) found.push(`${file} exports ${count} names, of at most ${MAX_NAMES}`)
  return found
}

function checkDoor(file: string, to: string): string[] {
  const door = doors.map((pattern) => pattern.exec(to)?.[0]).find((prefix) => prefix !== undefined)
  if (door === undefined || file.startsWith(door) || to === `${door}index.ts`) return []
  // The list of modules loads each by its own file.
  if (file === 'src/app/modules.ts' && to.endsWith('.module.ts')) return []
  return [`${file} reaches into ${to}; use ${door}index.ts`]
}

function checkDomains(file: string, to: string, order: readonly string[]): string[] {
  const [from, target] = [domainOf(file), domainOf(to)]
  if (from === undefined || target === undefined || order.indexOf(target) <= order.indexOf(from)) return []
  return [`${file} imports ${to}: ${target} comes after ${from}`]
}

function checkRoles({ file, to, isType }: { file: string; to: string; isType: boolean }): string[] {
  if (moduleOf(file) === undefined || moduleOf(file) !== moduleOf(to)) return []
  const broken = roles.filter((role) => role.from.test(file) && role.never.test(to) && !(role.types && isType))
  return broken.map(({ because }) => `${file} imports ${to}: ${because}`)
}

export function cycles(sources: readonly Source[]): string[] {
  const graph = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports.filter(({ name }) => name.startsWith('.')).map(({ name }) => targetOf(file, name)),
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

/** Which domains each domain imports. */
export function domainGraph(sources: readonly Source[]): Map<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { file, imports } of sources) {
    const from = domainOf(file)
    if (from === undefined) continue
    const targets = graph.get(from) ?? graph.set(from, new Set()).get(from)!
    for (const { name } of imports) {
      const to = name.startsWith('.') ? domainOf(targetOf(file, name)) : undefined
      if (to !== undefined && to !== from) targets.add(to)
    }
  }
  return graph
}
