import type { OwnServer } from '../system/target.ts'

/** The parts of the time of a request, in addition to the domains. */
export const PARTS = [
  'HTTP',
  'sign-in and rights',
  'admission',
  'SQL',
  'presenting',
  'JSON',
  'hashing',
  'socket',
  'garbage collection',
  'others',
] as const
export type Part = (typeof PARTS)[number]

const SAMPLE_EVERY_US = 400

/** The shares of the CPU time of a server, which sum up to 1, by its samples while `work` runs. */
export async function profileDuring(server: OwnServer, work: () => Promise<unknown>): Promise<Map<Part, number>> {
  const inspector = await connect(await server.inspectorUrl())
  try {
    await inspector.call('Profiler.enable')
    await inspector.call('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
    await inspector.call('Profiler.start')
    await work()
    const { profile } = (await inspector.call('Profiler.stop')) as { readonly profile: Profile }
    return sharesOf(profile)
  } finally {
    inspector.close()
  }
}

interface Frame {
  readonly url: string
  readonly functionName: string
}

/** The profile in the form of V8's inspector protocol. */
export interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[]
  /** Ids of nodes, and the microseconds before each sample. */
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Self time by part. A native function belongs to the part of its caller unless its name says more. */
export function sharesOf({ nodes, samples, timeDeltas }: Profile): Map<Part, number> {
  const parts = new Map<number, Part | undefined>()
  for (const { id, callFrame, children = [] } of nodes) {
    // NOTE: a parent comes before its children.
    const part = callFrame.functionName === '(idle)' ? undefined : (partOf(callFrame) ?? parts.get(id) ?? 'others')
    parts.set(id, part)
    for (const child of children) parts.set(child, part)
  }
  const times = new Map<Part, number>()
  let total = 0
  for (const [i, id] of samples.entries()) {
    const part = parts.get(id)
    if (part === undefined) continue
    times.set(part, (times.get(part) ?? 0) + timeDeltas[i]!)
    total += timeDeltas[i]!
  }
  return new Map([...times].map(([part, time]) => [part, time / total]))
}

/** The first that matches. NOTE: V8 counts `JSON.stringify` as its caller. */
const FILES: readonly (readonly [RegExp, Part])[] = [
  [/\/src\/core\/http\/answer\/answer\.ts$/, 'JSON'],
  [/\.present\.ts$|\/flat-text\.ts$/, 'presenting'],
  [/\/src\/core\/(http\/(http-server\.ts$|guards\/)|platform\/concurrency\/)/, 'admission'],
  [/\/src\/core\/access\/|\/sign-in\/|\/src\/core\/http\/caller\.ts$/, 'sign-in and rights'],
  [/\/src\/core\/db\/|\.store\.ts$|\/node_modules\/(kysely|better-sqlite3|pg|pg-[a-z]+)\//, 'SQL'],
  [/^node:internal\/crypto\//, 'hashing'],
  [/^node:(net|stream|internal\/(streams|stream_base_commons))/, 'socket'],
  [/\/src\/core\/http\/|\/node_modules\/(fastify|find-my-way|@fastify)\/|^node:(_http|internal\/http)/, 'HTTP'],
  [/\/src\//, 'others'],
]
const NATIVE: readonly (readonly [RegExp, Part])[] = [
  [/^\(garbage collector\)$/, 'garbage collection'],
  [/^(oneShotDigest|digest)$/, 'hashing'],
  [/^(write|writev|writeUtf8String|writeLatin1String|writeBuffer|shutdown)$/, 'socket'],
]

function partOf({ url, functionName }: Frame): Part | undefined {
  const [text, table] = url === '' ? [functionName, NATIVE] : [url, FILES]
  return table.find(([pattern]) => pattern.test(text))?.[1]
}

/** A connection to the inspector of another process. */
async function connect(url: string) {
  const socket = new WebSocket(url)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const opened = Promise.withResolvers<void>()
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('error', () => opened.reject(new Error(`no inspector answers at ${url}`)))
  socket.addEventListener('close', () => waiting.forEach(({ reject }) => reject(new Error('the server ended'))))
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data))
    const call = waiting.get(id)
    if (error) call?.reject(new Error(error.message))
    else call?.resolve(result)
  })
  await opened.promise
  return {
    call(method: string, params: object = {}): Promise<unknown> {
      const id = waiting.size + 1
      const answered = Promise.withResolvers<unknown>()
      waiting.set(id, answered)
      socket.send(JSON.stringify({ id, method, params }))
      return answered.promise
    },
    close: () => socket.close(),
  }
}
