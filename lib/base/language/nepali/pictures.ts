/** Nepali translations of messages about pictures, exports, and the history of records. */
export const pictures: Readonly<Record<string, string>> = {
  Pictures: 'तस्बिरहरू',
  'Pictures of the record in their order, one of them as its face.':
    'अभिलेखका तस्बिर, आफ्नै क्रममा, तीमध्ये एउटा मुख्य तस्बिरका रूपमा।',
  'The table holds the first {0} rows. Narrow the list for the others.':
    'तालिकामा पहिलो {0} पङ्क्ति छन्। अरूका लागि सूची साँघुरो पार्नुहोस्।',
  'The image cannot be unpacked.': 'तस्बिर खोल्न सकिएन।',
  'HEIC images cannot be read here. Save the image as JPEG and send that; telephones do so when they are set to "most compatible".':
    'HEIC तस्बिर यहाँ पढ्न सकिँदैन। तस्बिर JPEG मा सुरक्षित गरेर त्यो पठाउनुहोस्; फोनलाई "most compatible" मा राख्दा त्यसै हुन्छ।',
  'The file holds {0} images. Send each as a file of its own.': 'फाइलमा {0} तस्बिर छन्। हरेकलाई छुट्टै फाइलका रूपमा पठाउनुहोस्।',
  'The image is larger than 50 MB as a PNG. Send it as JPEG.':
    'तस्बिर PNG का रूपमा ५० एमबीभन्दा ठूलो छ। JPEG का रूपमा पठाउनुहोस्।',
  'Give a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z.':
    '2026-01-31 जस्तो मिति, वा 2026-01-31T18:00:00Z जस्तो समय दिनुहोस्।',
  'This moment has not come yet.': 'यो समय अझै आएको छैन।',
  'Of a past time, follow the links in "next".': 'विगतको समयका लागि "next" मा दिइएका लिङ्क पछ्याउनुहोस्।',
  'A list of a past time is not narrowed or sorted: leave out {0}.':
    'विगतको समयको सूची साँघुर्‍याउन वा क्रम मिलाउन मिल्दैन: {0} नदिनुहोस्।',
  'Sign in to get a table with sources and confidences.': 'स्रोत र निश्चितता सहितको तालिका पाउन साइन इन गर्नुहोस्।',
  'Tables show the records of today: leave out format or at.': 'तालिकाले आजका अभिलेख देखाउँछन्: format वा at नदिनुहोस्।',
  'The region is none. Ask for full, square, x,y,w,h or pct:x,y,w,h.':
    'यो क्षेत्र होइन। full, square, x,y,w,h वा pct:x,y,w,h माग्नुहोस्।',
  'The size is none. Ask for max, w, or ,h or pct:n or w,h or !w,h, with ^ in front to enlarge.':
    'यो आकार होइन। max, w, वा ,h वा pct:n वा w,h वा !w,h माग्नुहोस्, ठूलो पार्न अगाडि ^ राख्नुहोस्।',
  'There is no {0} of this name. Choose one of: {1}.': 'यस नामको <0> छैन। यीमध्ये एक छान्नुहोस्: {1}।',
  'The rotation is none. Ask for degrees from 0 to 360, with ! in front to mirror.':
    'यो घुमाइ होइन। ० देखि ३६० सम्मको डिग्री माग्नुहोस्, ऐनाजस्तो उल्ट्याउन अगाडि ! राख्नुहोस्।',
  'The region lies beyond the image, or is empty.': 'क्षेत्र तस्बिरभन्दा बाहिर छ, वा खाली छ।',
  'The size is empty.': 'आकार खाली छ।',
  'The size is larger than the region. Ask for it with ^ in front.': 'आकार क्षेत्रभन्दा ठूलो छ। अगाडि ^ राखेर माग्नुहोस्।',
  'The size is larger than {0} pixels on a side.': 'आकारको एउटा छेउ {0} पिक्सेलभन्दा लामो छ।',
  quality: 'गुणस्तर',
  format: 'ढाँचा',
  'The file is not the one that was announced: its {0} differs.': 'यो सूचना दिइएको फाइल होइन: <0> फरक छ।',
  size: 'आकार',
  checksum: 'चेकसम',
  'Only one picture can be the face of the record.': 'एउटा मात्र तस्बिर अभिलेखको मुख्य तस्बिर हुन सक्छ।',
  'A file can be one picture of the record only.': 'एउटा फाइल अभिलेखको एउटा मात्र तस्बिर हुन सक्छ।',
  'Picture {0}:': 'तस्बिर {0}:',
  '{0} There is no file of yours with this id.': '<0> यस पहिचान सङ्केतको तपाईंको कुनै फाइल छैन।',
  '{0} Its file has not been sent yet.': '<0> यसको फाइल अझै पठाइएको छैन।',
  '{0} Its file has expired. Send it again.': '<0> यसको फाइलको म्याद सकिएको छ। फेरि पठाउनुहोस्।',
  'The licence is none. Give an identifier of the SPDX list, such as CC-BY-SA-4.0, or the address of a statement of rightsstatements.org.':
    'यो इजाजतपत्र होइन। CC-BY-SA-4.0 जस्तो SPDX सूचीको सङ्केत, वा rightsstatements.org को कथनको ठेगाना दिनुहोस्।',
  'The project is not about this record. Link it first.': 'परियोजना यस अभिलेखबारे होइन। पहिले यसलाई जोड्नुहोस्।',
  'Give the review identity of a record, a UUID.': 'अभिलेखको समीक्षा पहिचान (UUID) दिनुहोस्।',
  'Give a list of pictures.': 'तस्बिरहरूको सूची दिनुहोस्।',
  'Give no more than {0} pictures.': '{0} भन्दा बढी तस्बिर नदिनुहोस्।',
  'Give each picture as an object with the id of its file.':
    'हरेक तस्बिर त्यसको फाइलको पहिचान सङ्केतसहितको वस्तुका रूपमा दिनुहोस्।',
  'The {0} of a picture: {1}': 'तस्बिरको <0>: <1>',
  caption: 'शीर्षक',
  creator: 'सर्जक',
  licence: 'इजाजतपत्र',
  date: 'मिति',
  'The face of a picture: Give true or false.': 'मुख्य तस्बिर: true वा false दिनुहोस्।',
  'Give each picture the id of its file. Upload the file first: POST /data/pictures/ answers it.':
    'हरेक तस्बिरलाई त्यसको फाइलको पहिचान सङ्केत दिनुहोस्। पहिले फाइल अपलोड गर्नुहोस्: POST /data/pictures/ ले त्यो दिन्छ।',
  'There are no pictures of it.': 'यसका तस्बिर छैनन्।',
}
