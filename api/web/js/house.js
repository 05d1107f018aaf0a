// House rules in a short code: the rule set they start from and eight answers, five letters in all. The code holds
// everything, so it needs no server and never expires. Bases and answers may only be added at the end.

export const BASES = ['vanikar', 'fibur', 'feburit', 'fitab', 'classico', 'internazionale', 'canasta', 'stekius', 'brasile', 'buraco-aberto', 'buraco-fechado', 'stbl'];

/** Each question: the option it sets and its answers; answer 0 is "as the rule set". `bits` hold the answer. */
export const QUESTIONS = [
  { key: 'semi', option: 'bonus.semi', bits: 2, answers: [undefined, 150, null] },
  { key: 'ace_high', option: 'ace_high', bits: 2, answers: [undefined, true, false] },
  { key: 'max_wilds', option: 'max_wilds', bits: 2, answers: [undefined, 1, 2] },
  { key: 'sets', option: 'sets', bits: 2, answers: [undefined, true, false] },
  { key: 'close_burraco', option: 'close_burraco', bits: 2, answers: [undefined, 'any', 'clean', 'none'] },
  { key: 'close_discard', option: 'close_discard', bits: 2, answers: [undefined, true, false] },
  { key: 'pot_penalty', option: 'pot_penalty', bits: 2, answers: [undefined, 100, 0] },
  { key: 'target', option: 'target', bits: 3, answers: [undefined, 505, 1005, 1505, 2005, 3005] },
];

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // no I, L, O, U: they are read wrong

const checkOf = (number) => { let sum = 7; for (let rest = number; rest > 0; rest = Math.floor(rest / 16)) sum = (sum * 5 + (rest % 16)) % 16; return sum; };

export function encode({ rules, answers }) {
  const base = BASES.indexOf(rules);
  if (base < 0) return '';
  let number = base;
  QUESTIONS.forEach((question, n) => { number = number * 2 ** question.bits + (answers[n] ?? 0); });
  number = number * 16 + checkOf(number);
  let code = '';
  for (let n = 0; n < 5; n += 1) { code = LETTERS[number % 32] + code; number = Math.floor(number / 32); }
  return code;
}

/** The rule set and the answers of a code; null when it is none. */
export function decode(text) {
  const clean = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  if (!/^[0-9A-HJKMNP-TV-Z]{5}$/.test(clean)) return null;
  let number = [...clean].reduce((sum, letter) => sum * 32 + LETTERS.indexOf(letter), 0);
  const check = number % 16;
  number = Math.floor(number / 16);
  if (check !== checkOf(number)) return null;
  const answers = [];
  for (const question of [...QUESTIONS].reverse()) {
    const size = 2 ** question.bits;
    answers.unshift(number % size);
    number = Math.floor(number / size);
  }
  if (number >= BASES.length || answers.some((answer, n) => answer >= QUESTIONS[n].answers.length)) return null;
  return { rules: BASES[number], answers };
}

export function optionsFrom(answers) {
  const options = {};
  QUESTIONS.forEach((question, n) => { if (answers[n]) options[question.option] = question.answers[answers[n]]; });
  return options;
}
