import type { TempDir } from '../system/processes.ts'
import { applyLoad, type Call, type Load } from './load.ts'
import { applyWrk, GENERATOR_LIMIT, hasWrk } from './wrk.ts'

/** What sends the load of a run, and how fast it could send. */
export interface Generator {
  readonly name: 'wrk' | 'Node client'
  /** The same request over kept connections, each as soon as the one before it is answered. */
  send(plan: GeneratorPlan): Promise<GeneratedLoad>
}

interface GeneratorPlan {
  readonly seconds: number
  readonly connections: number
  readonly call: Call
}

export interface GeneratedLoad extends Load {
  /** CPU time of the generator's one thread as a share of the time; undefined where it is not measured. */
  readonly generatorShare: number | undefined
  /** The rate is that of the generator, so it says nothing of the server. */
  readonly isGeneratorLimited: boolean
}

export async function chooseGenerator(tempDir: TempDir): Promise<Generator> {
  if (await hasWrk(tempDir))
    return {
      name: 'wrk',
      async send(plan) {
        const load = await applyWrk(tempDir, plan)
        return { ...load, isGeneratorLimited: load.generatorShare >= GENERATOR_LIMIT }
      },
    }
  return {
    name: 'Node client',
    async send({ seconds, connections, call }) {
      const load = await applyLoad({ seconds, connections, next: () => call })
      return { ...load, generatorShare: undefined, isGeneratorLimited: true }
    },
  }
}
