import type { CheckOptions, DoctorCheck, Finding } from '../core/module.ts'

/** The findings of all checks with one name. */
export interface CheckResult {
  readonly name: string
  readonly findings: readonly Finding[]
}

/** The database comes first because the other checks read it; checks not listed here run after `files`. */
const ORDER = ['database', 'counters', 'repositories', 'storage', 'files', '', 'jobs', 'leftovers']

const rankOf = (name: string): number => ORDER.indexOf(ORDER.includes(name) ? name : '')

/** Runs the checks of all modules one after the other and yields a result for each name as soon as it is complete. */
export async function* runChecks(
  checks: readonly DoctorCheck[],
  options: CheckOptions,
): AsyncGenerator<CheckResult, void, undefined> {
  const wanted = checks.filter(({ fixOnly }) => options.fix || fixOnly !== true)
  const names = [...new Set(wanted.map(({ name }) => name))].toSorted((a, b) => rankOf(a) - rankOf(b))
  for (const name of names) {
    const findings: Finding[] = []
    for (const check of wanted)
      if (check.name === name) for await (const finding of check.run(options)) findings.push(finding)
    yield { name, findings }
  }
}
