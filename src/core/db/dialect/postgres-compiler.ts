import {
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  TupleNode,
  ValueNode,
  type BinaryOperationNode,
  type LimitNode,
  type OffsetNode,
} from 'kysely'

const LIST_OPERATORS: Readonly<Record<string, { readonly one: string; readonly all: string }>> = {
  in: { one: '=', all: '= any' },
  'not in': { one: '<>', all: '<> all' },
}

/**
 * Writes texts that do not change with the number of values, so that few statements are prepared: a list is one
 * parameter. Lists of one value have a text of their own: for a list that it does not see the planner expects ten
 * values, and so plans those of one anew at each execution. Limits are written out: the planner needs them, and there
 * are few of them. For an offset that it does not see the planner expects a tenth of all rows to be skipped, and so
 * plans first pages anew at each execution.
 */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node
    const list = OperatorNode.is(operator) ? LIST_OPERATORS[operator.operator] : undefined
    if (list === undefined || !PrimitiveValueListNode.is(rightOperand) || TupleNode.is(leftOperand))
      return super.visitBinaryOperation(node)
    this.visitNode(leftOperand)
    const { values } = rightOperand
    if (values.length === 1) {
      this.append(` ${list.one} `)
      this.appendValue(values[0])
      return
    }
    this.append(` ${list.all}(`)
    this.appendValue([...values])
    this.append(')')
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) return super.visitLimit(node)
    this.append(`limit ${Number(limit.value)}`)
  }

  protected override visitOffset(node: OffsetNode): void {
    const { offset } = node
    if (ValueNode.is(offset) && offset.value === 0) this.append('offset 0')
    else super.visitOffset(node)
  }
}
