import { isMembers, type Members, type Path, scalarText, WorkflowProblem } from './problem.ts'

/** The maximum number of jobs of a run. */
export const MAX_JOBS = 256
const MAX_LISTS = 1000

/**
 * The combinations of an evaluated `strategy.matrix`, as on GitHub; one empty combination if there is none
 * (behaviour/actions#needs-if-matrix-concurrency-rerun).
 */
export function expandMatrix(matrix: unknown, path: Path): readonly Members[] {
  if (matrix === undefined || matrix === null) return [{}]
  if (!isMembers(matrix)) throw new WorkflowProblem(path, 'must be a mapping')
  const { include, exclude, ...axes } = matrix
  const excluded = readList(exclude, [...path, 'exclude'])
  const included = readList(include, [...path, 'include'])
  if (Object.keys(axes).length + included.length === 0)
    throw new WorkflowProblem(path, 'must have a list of values, or entries of include')
  const original = multiply(axes, path).filter((one) => !excluded.some((pattern) => isPart(pattern, one)))
  const combinations = addIncluded(original, included, Object.keys(axes))
  if (combinations.length > MAX_JOBS) throw tooMany(path)
  return combinations
}

const tooMany = (path: Path): WorkflowProblem => new WorkflowProblem(path, `has more than ${MAX_JOBS} combinations`)

/** NOTE: counts the combinations before it makes them. */
function multiply(axes: Members, path: Path): Members[] {
  const entries = Object.entries(axes)
  if (entries.length === 0) return []
  let combinations: Members[] = [{}]
  for (const [key, values] of entries) {
    if (!Array.isArray(values) || values.length === 0)
      throw new WorkflowProblem([...path, key], 'must be a list with at least one value')
    if (combinations.length * values.length > MAX_LISTS) throw tooMany(path)
    combinations = combinations.flatMap((one) => values.map((value: unknown) => ({ ...one, [key]: value })))
  }
  return combinations
}

function readList(value: unknown, path: Path): readonly Members[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || !value.every(isMembers)) throw new WorkflowProblem(path, 'must be a list of mappings')
  if (value.length > MAX_LISTS) throw new WorkflowProblem(path, `has more than ${MAX_LISTS} entries`)
  return value
}

/** Whether all members of the pattern equal those of the value; nested mappings may be given in part. */
function isPart(pattern: unknown, value: unknown): boolean {
  if (isMembers(pattern))
    return isMembers(value) && Object.entries(pattern).every(([key, item]) => isPart(item, value[key]))
  return JSON.stringify(pattern) === JSON.stringify(value)
}

/** An entry extends the combinations whose values of the axes it does not change; otherwise it is one of its own. */
function addIncluded(original: readonly Members[], included: readonly Members[], axes: readonly string[]): Members[] {
  const extended = original.map((one) => ({ ...one }))
  const added: Members[] = []
  for (const entry of included) {
    const own = Object.keys(entry).filter((key) => axes.includes(key))
    const fits = original.flatMap((one, index) => (own.every((key) => isPart(entry[key], one[key])) ? [index] : []))
    for (const index of fits) Object.assign(extended[index]!, entry)
    if (fits.length === 0) added.push(entry)
  }
  return [...extended, ...added]
}

/** The values of a combination in the order of their keys, for the name of its job. */
export const describeCombination = (combination: Members): string =>
  Object.keys(combination)
    .toSorted()
    .map((key) => scalarText(combination[key]) ?? JSON.stringify(combination[key]))
    .join(', ')
