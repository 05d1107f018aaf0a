// What each value of a rule set is called at the table.
import { lang } from './words.js';

const NAMES = {
  'values.joker': ['Jolly', 'Joker'], 'values.two': ['Pinella (2)', 'Two'], 'values.ace': ['Asso', 'Ace'], 'values.king': ['Re', 'King'],
  'values.queen': ['Donna', 'Queen'], 'values.jack': ['Fante', 'Jack'], 'values.ten': ['Dieci', 'Ten'], 'values.nine': ['Nove', 'Nine'],
  'values.eight': ['Otto', 'Eight'], 'values.seven': ['Sette', 'Seven'], 'values.six': ['Sei', 'Six'], 'values.five': ['Cinque', 'Five'],
  'values.four': ['Quattro', 'Four'], 'values.three': ['Tre', 'Three'],
  'bonus.clean': ['Burraco pulito', 'Clean burraco'], 'bonus.semi': ['Burraco semipulito', 'Half-clean burraco'], 'bonus.dirty': ['Burraco sporco', 'Dirty burraco'],
  'bonus.full_clean': ['Burraco reale pulito', 'Full clean burraco'], 'bonus.full_dirty': ['Burraco reale sporco', 'Full dirty burraco'],
  'bonus.ace_to_ace': ['Da asso ad asso', 'Ace to ace'], 'bonus.super_clean': ['Superburraco pulito', 'Clean super burraco'], 'bonus.super_dirty': ['Superburraco con matta', 'Dirty super burraco'],
  'bonus.set_clean': ['Burraco pulito di combinazione', 'Clean burraco of one rank'], 'bonus.set_dirty': ['Burraco sporco di combinazione', 'Dirty burraco of one rank'],
  'bonus.closing': ['Chiusura', 'Going out'], 'bonus.trump_factor': ['Burraco di briscola, moltiplicato per', 'Burraco of trump, times'],
  min_meld: ['Carte per un gioco, almeno', 'Cards of a meld, at least'], burraco_cards: ['Carte per un burraco', 'Cards of a burraco'], min_natural: ['Carte naturali, almeno', 'Natural cards, at least'],
  max_wilds: ['Matte in un gioco, al massimo', 'Wilds in a meld, at most'], ace_low: ['Asso prima del due', 'Ace before the two'], ace_high: ['Asso dopo il re', 'Ace after the king'],
  ace_both: ['Due assi nella stessa scala', 'Both aces in one run'], max_run: ['Scala, al massimo', 'Longest run'], natural_two: ['Il due al suo posto è naturale', 'A two in its place is natural'],
  sets: ['Combinazioni ammesse', 'Sets allowed'], set_ranks: ['Combinazioni di', 'Sets of'], max_set: ['Combinazione, al massimo', 'Largest set'],
  set_duplicates: ['Carte uguali in una combinazione', 'Equal cards in a set'], dup_sets: ['Due combinazioni dello stesso valore', 'Two sets of one rank'],
  semi_position: ['Semipulito: dove sta la matta', 'Half-clean: where the wild stands'], semi_set: ['Semipulito di combinazione', 'Half-clean of one rank'],
  pots: ['Si gioca con i pozzetti', 'Played with pozzetti'], pot_size: ['Carte nel pozzetto', 'Cards of a pozzetto'], pot_penalty: ['Pozzetto non preso', 'Pozzetto not taken'],
  pot_nobody: ['Pozzetto preso da nessuno', 'Nobody takes a pozzetto'], pot_unplayed: ['Pozzetto preso e mai giocato', 'Pozzetto taken, never played'],
  players: ['Giocatori', 'Players'], sides: ['Si gioca', 'Sides'], three_players: ['In tre', 'Three players'], hand_size: ['Carte in mano all’inizio', 'Cards dealt'],
  direction: ['Verso del gioco', 'Direction'], discard_start: ['Scarti all’inizio', 'Discard pile at the start'], trump: ['Briscola', 'Trump'],
  pickup: ['Raccolta degli scarti', 'Taking the discard pile'], rediscard: ['Riscartare l’unica carta raccolta', 'Discarding the only card taken'],
  wild_move: ['La matta si sposta', 'Moving the wild'], layoff_any: ['Attaccare ai giochi avversari', 'Adding to the others’ melds'],
  close_burraco: ['Burraco per chiudere', 'Burraco to go out'], close_discard: ['Scarto per chiudere', 'Discard to go out'], close_wild_discard: ['Chiudere scartando una matta', 'Going out by discarding a wild'],
  stock_end: ['Fine del tallone', 'End of the stock'], target: ['Si gioca ai', 'Played to'], target_min: ['Traguardo minimo', 'Least target'], target_max: ['Traguardo massimo', 'Greatest target'],
  tie: ['Parità alla fine', 'Level at the end'], stakes: ['Posta', 'Stakes'],
};

const VALUES = {
  one_side: ['da una parte', 'on one side'], end_only: ['solo in fondo', 'at an end only'], at_least_8: ['da otto carte', 'eight cards or more'], exactly_8: ['otto carte giuste', 'exactly eight cards'],
  penalty: ['si paga', 'penalty'], none: ['nessuno', 'none'], void: ['smazzata nulla', 'void deal'], hand: ['conta come carte in mano', 'counts as a hand'],
  pairs: ['a coppie', 'in pairs'], each: ['ognuno per sé', 'each alone'], italian: ['all’italiana', 'the Italian way'], clockwise: ['orario', 'clockwise'], anticlockwise: ['antiorario', 'anticlockwise'],
  up: ['una carta scoperta', 'one card face up'], empty: ['vuoti', 'empty'], first_discard: ['seme della prima scoperta', 'suit of the first open card'],
  whole: ['tutto il monte', 'the whole pile'], meld_one: ['tutto, calando una carta', 'whole, melding one card'], top_melded: ['calando la prima', 'melding the top card'], any_depth: ['fino alla carta voluta', 'down to the card wanted'],
  locked: ['mai', 'never'], free_end: ['solo agli estremi', 'at the ends'], free: ['libera', 'freely'], any: ['qualsiasi', 'any'], clean: ['pulito', 'clean'],
  unplayable_joker: ['solo un jolly che non si attacca', 'only a joker that fits nowhere'], never: ['mai', 'never'],
  last_drawn: ['si pesca l’ultima carta', 'last card drawn'], last_discard: ['ultimo scarto', 'last discard'], two_left: ['restano due carte', 'two cards left'], pot_as_stock: ['il pozzetto diventa tallone', 'a pozzetto becomes stock'],
  another_deal: ['un’altra smazzata', 'another deal'], shared: ['parità', 'shared'],
};

const pick = (pair, other) => (pair ? pair[lang() === 'it' ? 0 : 1] : other);

export const ruleName = (key) => pick(NAMES[key], key);

export function ruleValue(value, { yes, no, none }) {
  if (value === true) return yes;
  if (value === false) return no;
  if (value === null || value === undefined) return none;
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? pick(VALUES[value], value) : String(value);
}
