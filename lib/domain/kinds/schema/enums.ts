/** A controlled list: its published name, its values with their meanings, and other spellings that are accepted. */
export type Vocabulary = {
  readonly name: string
  /** Whether the community may add values without a release. The code depends on no value of such a list. */
  readonly open?: true
  readonly values: Readonly<Record<string, string>>
  /** The stored value of each spelling. Old values without a counterpart map to themselves. */
  readonly spellings: Readonly<Record<string, string>>
}

/** Returns the stored value of a spelling. Undefined if the vocabulary does not contain it. */
export function optionOf(vocabulary: Vocabulary, spelling: string): string | undefined {
  if (Object.hasOwn(vocabulary.values, spelling)) return spelling
  return Object.hasOwn(vocabulary.spellings, spelling) ? vocabulary.spellings[spelling] : undefined
}

/** Lists all spellings that a vocabulary accepts, its values first. */
export function spellingsOf(vocabulary: Vocabulary): string[] {
  return [...Object.keys(vocabulary.values), ...Object.keys(vocabulary.spellings)]
}

/** Lists the options of a vocabulary as the registry publishes them. */
export function optionsOf(vocabulary: Vocabulary): { value: string; label: string; description: string }[] {
  return Object.entries(vocabulary.values).map(([value, description]) => ({
    value,
    label: labelOf(value),
    description,
  }))
}

/** A name as people read it. Example: "pending_review" and "PendingReview" become "Pending review" and "Pending Review". */
export function labelOf(value: string): string {
  const words = value.replaceAll('_', ' ').replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const entityCategory: Vocabulary = {
  name: 'CulturalEntityCategoryEnum',
  values: {
    monument: 'Something built: a temple, a stupa, a rest house',
    artifact: 'Something made that can be moved: a statue, a painting, a tool',
    ritual: 'An act of worship or a rite',
    festival: 'A celebration of a whole community',
    tradition: 'A custom, craft or institution that is handed on',
    document: 'A text, inscription or recording',
    other: 'Anything else',
  },
  spellings: {},
}

export const locationType: Vocabulary = {
  name: 'LocationTypeEnum',
  open: true,
  values: {
    temple: 'A place of worship',
    monument: 'A site known for what is built on it',
    city: 'A town or city',
    museum: 'A museum or gallery',
    region: 'A valley, district or other wide area',
    archaeological_site: 'A site of excavated or buried remains',
  },
  spellings: {},
}

export const locationStatus: Vocabulary = {
  name: 'LocationStatusEnum',
  values: {
    preserved: 'Whole and cared for',
    partially_ruined: 'Parts of it are lost',
    ruined: 'Only remains are left',
    rebuilt: 'Built anew after a loss',
  },
  spellings: {},
}

export const eventType: Vocabulary = {
  name: 'EventTypeEnum',
  open: true,
  values: {
    festival: 'A celebration',
    ritual: 'A rite',
    historical: 'Something that happened once: a war, an earthquake, a treaty',
    ceremony: 'A coronation, an opening or the like',
  },
  spellings: {},
}

export const recurrence: Vocabulary = {
  name: 'RecurrenceEnum',
  values: {
    annual: 'Every year',
    biennial: 'Every second year',
    monthly: 'Every month',
    one_time: 'Once',
  },
  spellings: {},
}

export const traditionType: Vocabulary = {
  name: 'TraditionTypeEnum',
  open: true,
  values: {
    ritual: 'Worship and rites',
    dance: 'Dance and masked performance',
    storytelling: 'Tales and epics told aloud',
    craft: 'Making things by hand',
    music: 'Song and instruments',
  },
  spellings: {},
}

export const sourceDocType: Vocabulary = {
  name: 'SourceDocTypeEnum',
  open: true,
  values: {
    book: 'A book or a chapter of one',
    journal: 'An article in a journal',
    archive: 'A document kept in an archive',
    thesis: 'A thesis or dissertation',
    web: 'A page on the web',
    field_note: 'Notes taken in the field',
  },
  spellings: {
    PublishedBook: 'book',
    JournalArticle: 'journal',
    Thesis: 'thesis',
    WebPage: 'web',
    FieldNote: 'field_note',
  },
}

/** Sorts of sources: the words of the source register and of bibliographies in one list. */
export const sourceType: Vocabulary = {
  name: 'SourceTypeEnum',
  values: {
    archival: 'Records of an office or institution',
    field_survey: 'Measured or seen on the spot',
    oral_history: 'Told by someone who knows',
    image: 'A photograph, drawing or map',
    pdf: 'A scanned or digital document',
    published: 'Published scholarship',
    inscription: 'Carved or engraved text',
    web: 'A page on the web',
    book: 'A book or a chapter of one',
    journal: 'An article in a journal',
    archive: 'A document kept in an archive',
    thesis: 'A thesis or dissertation',
    field_note: 'Notes taken in the field',
  },
  spellings: {
    ArchivalRecord: 'archival',
    Archival: 'archival',
    FieldSurvey: 'field_survey',
    FieldSurveyDataset: 'field_survey',
    OralHistory: 'oral_history',
    OralHistoryInterview: 'oral_history',
    OralHistoryRecording: 'oral_history',
    CommunityNarrative: 'oral_history',
    Image: 'image',
    PublishedScholarship: 'published',
    Published: 'published',
    Inscription: 'inscription',
    Web: 'web',
    PublishedBook: 'book',
    Book: 'book',
    JournalArticle: 'journal',
    Thesis: 'thesis',
    FieldNote: 'field_note',
  },
}

export const structureType: Vocabulary = {
  name: 'StructureTypeEnum',
  open: true,
  values: {
    Temple: 'A house of a deity',
    Stupa: 'A dome over relics',
    Chaitya: 'A small votive shrine',
    Pati: 'An open pavilion for resting travellers',
    Sattal: 'A rest house of several storeys',
    Dharmashala: 'A lodge for pilgrims',
    DhungeDhara: 'A sunken fountain with carved spouts',
    Pokhari: 'A pond or tank',
    Other: 'Anything else that is built',
  },
  spellings: { Dhunge_Dhara: 'DhungeDhara' },
}

export const architecturalStyle: Vocabulary = {
  name: 'ArchitecturalStyleEnum',
  open: true,
  values: {
    Pagoda: 'Roofs in tiers',
    Shikhara: 'A curved stone tower',
    Stupa: 'A hemispherical dome with a spire',
    Dome: 'Roofed by a dome',
    Mughal: 'After Mughal models',
    Rana_Neoclassical: 'White stucco palaces of the Rana years',
    Mixed: 'More than one style',
    Other: 'Another style',
  },
  // The ontology has Chaitya as a style. This list has no counterpart.
  spellings: {
    StupaStyle: 'Stupa',
    Chaitya: 'Chaitya',
    ChaityaStyle: 'Chaitya',
    RanaNeoclassical: 'Rana_Neoclassical',
  },
}

export const existenceStatus: Vocabulary = {
  name: 'ExistenceStatusEnum',
  values: {
    Extant: 'Stands today',
    PartiallyExtant: 'Stands in part',
    Destroyed: 'Known to be destroyed',
    Lost: 'Cannot be found any more',
    Hypothetical: 'Inferred, never seen',
    Unknown: 'Nobody has checked',
  },
  spellings: {
    Damaged: 'Damaged',
    Restored: 'Restored',
    Relocated: 'Relocated',
    Partially_Extant: 'Partially_Extant',
  },
}

export const condition: Vocabulary = {
  name: 'ConditionTypeEnum',
  values: {
    Excellent: 'No damage to be seen',
    Good: 'Small damage only',
    Fair: 'Needs repair before long',
    Poor: 'Parts are failing',
    Very_Poor: 'Unsafe',
    Ruinous: 'A ruin',
  },
  // The ontology has Damaged and Restored as conditions. This list has no counterparts.
  spellings: { VeryPoor: 'Very_Poor', Ruined: 'Ruinous', Damaged: 'Damaged', Restored: 'Restored' },
}

export const guthiType: Vocabulary = {
  name: 'GuthiTypeEnum',
  open: true,
  values: {
    SiGuthi: 'Sees to funerals of its members',
    JatraGuthi: 'Organises a procession or festival',
    PujaGuthi: 'Keeps up a cycle of worship',
    TempleGuthi: 'Looks after a temple',
    NashaGuthi: 'Devoted to music and dance and their god',
    SanaGuthi: 'Carries out cremations',
    SanGuthi: 'A small association of a neighbourhood',
    RajGuthi: 'Endowed or run by the state',
    Other: 'Another kind of trust',
  },
  spellings: {
    Si_Guthi: 'SiGuthi',
    Jatra_Guthi: 'JatraGuthi',
    Puja_Guthi: 'PujaGuthi',
    Temple_Guthi: 'TempleGuthi',
    Nasha_Guthi: 'NashaGuthi',
    Sana_Guthi: 'SanaGuthi',
    San_Guthi: 'SanGuthi',
    Raj_Guthi: 'RajGuthi',
  },
}

export const ritualType: Vocabulary = {
  name: 'RitualTypeEnum',
  open: true,
  values: {
    NityaPuja: 'Worship due every day',
    NaimittikaPuja: 'Worship due on an occasion',
    KamyaPuja: 'Worship for a wish',
    Abhisheka: 'Ritual bathing or anointing',
    Homa: 'Offering into fire',
    Bhajan: 'Singing of devotional songs',
    Yagna: 'A great fire sacrifice',
    Vrata: 'A fast or vow',
    Jatra: 'A festive procession',
    ChariotProcession: 'A deity is drawn in a chariot',
    MaskedPerformance: 'Masked dancers embody deities',
    RitualConsecration: 'An object is given life as a deity',
    ProcessionRitual: 'A rite on the way',
    InstallationRitual: 'A deity is installed in its seat',
    DeinstallationRitual: 'A deity is taken from its seat',
    ReturningRitual: 'A deity comes back to its seat',
    Circumambulation: 'Walking around something sacred',
    RelicTour: 'Relics are carried from place to place',
    ProcessionalMovement: 'A part of a procession',
    Other: 'Another rite',
  },
  spellings: {},
}

export const syncreticType: Vocabulary = {
  name: 'SyncreticTypeEnum',
  values: {
    Equivalence: 'Both are held to be one deity',
    Appropriation: 'One tradition took the deity over',
    Fusion: 'Two deities merged into one',
    Historical: 'They were one in the past',
  },
  spellings: {},
}

/** How sure a claim is: the surest first. */
export const confidences = ['certain', 'likely', 'uncertain', 'speculative'] as const
export type Confidence = (typeof confidences)[number]
export const confidence: Vocabulary = {
  name: 'ConfidenceEnum',
  values: {
    certain: 'Beyond reasonable doubt',
    likely: 'Well supported',
    uncertain: 'Evidence is thin or divided',
    speculative: 'A guess',
  } satisfies Record<Confidence, string>,
  spellings: {},
}

export const reconciliationStatus: Vocabulary = {
  name: 'ReconciliationStatusEnum',
  values: {
    pending: 'Waits for review',
    accepted: 'Held to be true',
    disputed: 'Stands beside a rival',
    superseded: 'Replaced by a better claim',
  },
  spellings: { confirmed: 'accepted' },
}

export const accessTier: Vocabulary = {
  name: 'AccessTierEnum',
  values: {
    public: 'Everyone',
    restricted: 'People who are signed in',
    community_only: 'The community; others see coarse coordinates',
    sensitive_indigenous: 'Knowledge under the care of its people; others see coarse coordinates',
  },
  spellings: {},
}

export const sourceAccessTier: Vocabulary = {
  name: 'SourceAccessTierEnum',
  values: {
    public: 'Everyone',
    org_only: 'The organisation that holds it',
    community_only: 'The community',
    sensitive_indigenous: 'Knowledge under the care of its people',
  },
  spellings: {},
}

export const dataciteResourceType: Vocabulary = {
  name: 'DataciteResourceTypeEnum',
  values: {
    Dataset: 'Data',
    Image: 'A picture',
    Sound: 'A recording',
    Text: 'A text',
    PhysicalObject: 'A thing',
    Collection: 'A collection',
    Software: 'A program',
  },
  spellings: {},
}

export const calendarSystem: Vocabulary = {
  name: 'CalendarSystemEnum',
  values: {
    gregorian: 'The common calendar',
    bikram_sambat: 'The official calendar of Nepal, about 57 years ahead',
    nepal_sambat: 'The Newar calendar, which counts from 879 CE',
  },
  spellings: { Gregorian: 'gregorian', BikramSambat: 'bikram_sambat', NepalSambat: 'nepal_sambat' },
}

export const datePrecision: Vocabulary = {
  name: 'DatePrecisionEnum',
  values: {
    exact_year: 'The year or the day is known',
    circa: 'About that time',
    decade: 'The decade is known',
    century: 'The century is known',
  },
  spellings: { Exact: 'exact_year', Year: 'exact_year', Circa: 'circa', Decade: 'decade', Century: 'century' },
}
