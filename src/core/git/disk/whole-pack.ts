import { open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree, writeSynced } from '../../platform/files/durable.ts'
import type { GitCommand, Settings } from '../engine/command.ts'

/**
 * A pack with exactly what is reachable from these tips: it can be sent as it is to a client that wants all of
 * them. Packs are named by their content, so what was once true of one stays true.
 */
export interface WholePack {
  /** `pack-0123…`, without what follows the dot. */
  readonly name: string
  readonly objects: number
  /** Object ids, each once. */
  readonly tips: readonly string[]
}

export interface WholePackContext {
  readonly path: string
  readonly command: GitCommand
  readonly settings: Settings
  /** Milliseconds for one git process. */
  readonly deadline: number
}

const FILE = 'objects/info/whole-pack.json'
/** What a repository has more refs than is not worth a list of them. */
const MAX_TIPS = 20_000
const COUNT_AT = 8

/** What maintenance has found out; undefined when there is no such pack. */
export async function readWholePack(repoPath: string): Promise<WholePack | undefined> {
  try {
    return JSON.parse(await readFile(join(repoPath, FILE), 'utf8')) as WholePack
  } catch {
    return undefined // none, or not whole after a crash
  }
}

export const wholePackFile = (repoPath: string, { name }: WholePack): string =>
  join(repoPath, 'objects/pack', `${name}.pack`)

/**
 * Finds out whether the only pack of a repository is whole, and remembers that. `before` are the tips of all refs as
 * they were before the repository was packed, `after` those that are there now.
 */
export async function rememberWholePack(
  context: WholePackContext,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const { path } = context
  const names = await readdir(join(path, 'objects/pack'))
  const known = await readWholePack(path)
  if (known !== undefined && names.includes(`${known.name}.pack`)) return
  await removeTree(join(path, FILE))
  const tips = [...new Set(after)]
  const pack = await onlyPack(path, names, before.join() === after.join())
  if (pack === undefined || tips.length === 0 || tips.length > MAX_TIPS) return
  const objects = await objectsIn(join(path, 'objects/pack', pack))
  if ((await countReachable(context, tips)) !== objects) return
  const fresh = join(path, `${FILE}.new`)
  await removeTree(fresh)
  await writeSynced(fresh, JSON.stringify({ name: pack.slice(0, -'.pack'.length), objects, tips } satisfies WholePack))
  await rename(fresh, join(path, FILE))
}

/** How many objects are reachable from `tips` and from none of `not`: milliseconds with a bitmap. */
export async function countReachable(
  { command, settings, deadline }: Partial<WholePackContext> & Pick<WholePackContext, 'command'>,
  tips: readonly string[],
  not: readonly string[] = [],
): Promise<number> {
  const input = [...tips, ...not.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('')
  const result = await command.run(['rev-list', '--objects', '--count', '--use-bitmap-index', '--stdin'], {
    input,
    ...(settings && { settings }),
    ...(deadline !== undefined && { deadline }),
  })
  return Number(result.stdout.toString('latin1'))
}

/**
 * The one pack there is while nothing is loose: whatever a ref of before leads to is in it. What nothing reached lies
 * in packs of its own; only when no ref has moved meanwhile is it sure that nothing does.
 */
async function onlyPack(path: string, names: readonly string[], isQuiet: boolean): Promise<string | undefined> {
  const isUnreached = (pack: string): boolean => names.includes(pack.replace(/\.pack$/, '.mtimes'))
  const packs = names.filter((name) => /^pack-.*\.pack$/.test(name))
  const reached = packs.filter((name) => !isUnreached(name))
  const folders = (await readdir(join(path, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const loose = (await Promise.all(folders.map((folder) => readdir(join(path, 'objects', folder))))).flat()
  return reached.length === 1 && loose.length === 0 && (isQuiet || packs.length === 1) ? reached[0] : undefined
}

async function objectsIn(pack: string): Promise<number> {
  const file = await open(pack)
  try {
    return (await file.read(Buffer.alloc(4), 0, 4, COUNT_AT)).buffer.readUInt32BE()
  } finally {
    await file.close()
  }
}
