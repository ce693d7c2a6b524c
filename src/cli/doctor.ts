import type { CoreApp } from '../app/modules.ts'
import { startingAlone } from '../app/cluster/open-processes.ts'
import { type CheckResult, runChecks } from '../app/doctor.ts'
import { conflict } from '../core/platform/errors.ts'
import type { Finding } from '../core/module.ts'
import type { CommandInput } from './command.ts'
import { withCore } from './with-core.ts'

const SIGNS: Readonly<Record<Finding['state'], string>> = { fixed: 'fixed', note: 'note', problem: 'PROBLEM' }
const PROGRESS_EVERY = 25

/** Returns 0 if no problems remain, 1 otherwise. */
export async function runDoctor({ values, config, print }: CommandInput): Promise<number> {
  const fix = values['fix'] === true
  return withCore(config(), async (core) => (fix ? startingAlone(core.processes, () => repair(core)) : examine(core)), {
    exclusive: fix,
  })

  async function repair(core: CoreApp): Promise<number> {
    const others = await core.nodes.listOthers()
    if (others.length > 0)
      throw conflict(
        `other servers use the database: ${others.join(', ')}. Stop them first: doctor could mistake their writes for damage.`,
      )
    return examine(core)
  }

  async function examine({ checks }: CoreApp): Promise<number> {
    let problems = 0
    for await (const result of runChecks(checks, { fix, quick: values['quick'] === true, progress: showProgress })) {
      print(describe(result))
      problems += result.findings.filter((finding) => finding.state === 'problem').length
    }
    print(
      problems === 0
        ? 'Nothing is wrong.'
        : `${problems} ${problems === 1 ? 'problem' : 'problems'} found.${fix ? '' : ' Stop the server and run doctor --fix to repair what can be repaired safely.'}`,
    )
    return problems === 0 ? 0 : 1
  }
}

function describe({ name, findings }: CheckResult): string {
  if (findings.length === 0) return `${name}: ok`
  return [`${name}:`, ...findings.map(({ state, what }) => `  ${SIGNS[state]}  ${what}`)].join('\n')
}

/** Prints on standard error, and only on a terminal. */
function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY || (done % PROGRESS_EVERY !== 0 && done !== total)) return
  process.stderr.write(`\r${done} of ${total} repositories${done === total ? '\n' : ''}`)
}
