/** Issues that no API could make in reasonable time. */
export interface IssueSize {
  readonly repos: number
  readonly issues: number
  /** Issues of the first repository, which alone has comments, labels and milestones. */
  readonly ofFirst: number
  readonly comments: number
  readonly labels: number
  readonly milestones: number
}

const FULL: IssueSize = {
  repos: 1000,
  issues: 1_000_000,
  ofFirst: 200_000,
  comments: 1_000_000,
  labels: 300,
  milestones: 100,
}
/** Two pages of the first repository. */
const MIN = 100

/** NOTE: by the square of the scale, since writing all of them takes an hour. */
export function issueSize(scale: number): IssueSize {
  const of = (full: number): number => Math.max(MIN, Math.round(full * scale * scale))
  return {
    repos: of(FULL.repos),
    issues: of(FULL.issues),
    ofFirst: of(FULL.ofFirst),
    comments: of(FULL.comments),
    labels: FULL.labels,
    milestones: FULL.milestones,
  }
}

/** Every second one is private, and the first is not. */
export const issueRepo = (i: number): string => `issue-repo-${i}`
/** Every second issue of the first repository has one of these; so have all labels and milestones by their numbers. */
export const issueLabel = (i: number): string => `label-${i}`
export const issueMilestone = (i: number): string => `milestone-${i}`

const WORDS = 20_000
/** Word `i` of a vocabulary in which low numbers are frequent. */
export const issueWord = (i: number): string => {
  const letters = 'etaoinshrdlucmfw'
  let word = ''
  for (let rest = ((i % WORDS) + 17) * 7919; rest > 0; rest = Math.floor(rest / letters.length))
    word += letters[rest % letters.length]!
  return word
}
/** The words of the n-th text. */
export function issueText(n: number, length: number): string {
  const words: string[] = []
  let state = (n + 1) * 2_654_435_761
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    words.push(issueWord(Math.floor((state / 2 ** 32) ** 3 * WORDS)))
  }
  return words.join(' ')
}
