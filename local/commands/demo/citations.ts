/** The works that demonstration records cite, as members of a row. */
export const cite = {
  valley: web(
    'UNESCO World Heritage Centre: Kathmandu Valley, list no. 121, inscribed 1979.',
    'https://whc.unesco.org/en/list/121/',
  ),
  conservation: web(
    'UNESCO World Heritage Centre: State of conservation reports on Kathmandu Valley, list no. 121.',
    'https://whc.unesco.org/en/list/121/documents/',
  ),
  lumbini: web(
    'UNESCO World Heritage Centre: Lumbini, the Birthplace of the Lord Buddha, list no. 666, inscribed 1997.',
    'https://whc.unesco.org/en/list/666/',
  ),
  borobudur: web(
    'UNESCO World Heritage Centre: Borobudur Temple Compounds, list no. 592, inscribed 1991.',
    'https://whc.unesco.org/en/list/592/',
  ),
  slusser: book(
    'Mary Shepherd Slusser, Nepal Mandala: A Cultural Study of the Kathmandu Valley, Princeton University Press, 1982.',
  ),
  korn: book('Wolfgang Korn, The Traditional Architecture of the Kathmandu Valley, Ratna Pustak Bhandar, 1976.'),
  gutschow: book('Niels Gutschow, Architecture of the Newars, Serindia Publications, 2011.'),
  locke: book(
    'John K. Locke, Karunamaya: The Cult of Avalokitesvara-Matsyendranath in the Valley of Nepal, Sahayogi Prakashan, 1980.',
  ),
  allen: book('Michael R. Allen, The Cult of Kumari: Virgin Worship in Nepal, Tribhuvan University, 1975.'),
  gellner: book('David N. Gellner, Monk, Householder, and Tantric Priest, Cambridge University Press, 1992.'),
  whelpton: book('John Whelpton, A History of Nepal, Cambridge University Press, 2005.'),
  coningham: {
    source_type: 'journal',
    source_citation:
      'Robin Coningham and others, The earliest Buddhist shrine: excavating the birthplace of the Buddha, Lumbini (Nepal), Antiquity 87, 2013.',
    confidence: 'likely',
  },
  changu: {
    source_type: 'inscription',
    source_citation: 'Pillar inscription of Manadeva I at Changu Narayan, 464 CE.',
    confidence: 'certain',
  },
} as const

function web(source_citation: string, source_url: string) {
  return { source_type: 'web', source_citation, source_url, confidence: 'certain' }
}

function book(source_citation: string) {
  return { source_type: 'book', source_citation, confidence: 'likely' }
}
