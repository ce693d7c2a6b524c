/** What `ingot doctor` found, each after the name of the check. */
export interface DoctorReport {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const CHECK = /^(\S.*?):(?: ok)?$/
const FINDING = /^ {2}(PROBLEM|note) {2}(.*)$/
const VERDICT = /^(?:Nothing is wrong|\d+ problems? found)\b/

/** Reads what `ingot doctor` printed; one that did not come to its verdict is a problem. */
export function readDoctor(output: string): DoctorReport {
  const problems: string[] = []
  const notes: string[] = []
  let check = ''
  let isComplete = false
  for (const line of output.split('\n')) {
    check = CHECK.exec(line)?.[1] ?? check
    const [, state, what] = FINDING.exec(line) ?? []
    if (state !== undefined) (state === 'note' ? notes : problems).push(`doctor: ${check}: ${what}`)
    isComplete ||= VERDICT.test(line)
  }
  if (!isComplete) problems.push('doctor: it ended before its verdict')
  return { problems, notes }
}
