import { flushCompileCache } from 'node:module'
import type { Request, Result } from './task-child.ts'

type Task = (input: unknown) => unknown

/** Characters or bytes of one output; a larger one would cost the server more than the task cost here. */
const MAX_OUTPUT_LENGTH = 16 * 1024 * 1024

/** Levels of objects and lists in an output. */
const MAX_DEPTH = 500

/** The main module of a child process that runs tasks: one request in, one result out. */
function main(): void {
  const tasks = new Map<string, Promise<Task>>()
  const load = (module: string): Promise<Task> => {
    const found = tasks.get(module) ?? import(module).then(({ createTask }: { createTask(): Task }) => createTask())
    tasks.set(module, found)
    return found
  }
  const answer = async ({ id, module, input, isRun }: Request): Promise<Result> => {
    try {
      const task = await load(module)
      const output = isRun ? await task(input) : undefined
      requireSize(output)
      requireDepth(output)
      return { id, output }
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) }
    }
  }
  // Ctrl-C reaches the children of a terminal too, and a service manager may send SIGTERM to all processes of the
  // service: the server ends its children itself, after the requests that need them.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
  process.on('disconnect', () => process.exit(0))
  process.on('message', (request: Request) => {
    void answer(request).then((result) => {
      process.send!(result)
      // NOTE: at its end it is too late: the server kills it. A task may have loaded something for a first use.
      flushCompileCache()
    })
  })
}

/** NOTE: from about 2,500 levels on, an output that can be sent ends the server when it is received. */
function requireDepth(output: unknown, left = MAX_DEPTH): void {
  if (output === null || typeof output !== 'object' || ArrayBuffer.isView(output)) return
  if (left === 0) throw new Error('the result is nested too deeply')
  for (const part of output instanceof Map ? output.values() : Object.values(output)) requireDepth(part, left - 1)
}

function requireSize(output: unknown): void {
  if ((typeof output === 'string' || output instanceof Uint8Array) && output.length > MAX_OUTPUT_LENGTH)
    throw new Error(`the result has ${output.length} characters, at most ${MAX_OUTPUT_LENGTH} are allowed`)
}

main()
